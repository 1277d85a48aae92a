"""Which runs the experiment consists of: groups of arms, most important first."""

from __future__ import annotations

from dataclasses import replace

from learn import Arm

RATES = ((0.1, 0.2), (0.2, 0.3), (0.3, 0.4))
BELIEVED = {
    "forward": ((0.1, 0.0), (0.1, 0.1), (0.1, 0.4), (0.1, 0.7)),
    "backward": ((0.1, 0.4), (0.1, 0.7), (0.3, 0.6)),
}
"""Rates that a correction wrongly believes in where (.1, .2) is true; `forward` looks at ρ1 alone."""


def arms() -> dict[str, list[Arm]]:
    """Group name to arms."""
    oracle = [
        Arm("oracle, z-score", "oracle", "zscore"),
        Arm("oracle, leave-one-out", "oracle", "none"),
    ]
    return {
        "oracle": oracle,
        "rates": [arm for rho0, rho1 in RATES for arm in _at(rho0, rho1)],
        "format": _by_format(),
        "appeals": _appeals(),
        "accepted": _accepted(),
        "believed": [
            Arm(f"{name} believing ({b0}, {b1})", "noisy", name, 0.1, 0.2, assumed=(b0, b1))
            for name, pairs in BELIEVED.items()
            for b0, b1 in pairs
        ],
        "sweep": _sweep(),
        # What `forward` owes to its baseline, which is fixed at 1 − ρ1, and not to noise.
        "baseline": [
            Arm(f"oracle, fixed baseline {baseline}", "oracle", "forward", assumed=(0.0, 1 - baseline))
            for baseline in (0.8, 0.3)
        ],
        "posterior": [Arm(f"posterior ({r0}, {r1})", "noisy", "posterior", r0, r1) for r0, r1 in RATES[:2]],
    }


def _at(rho0: float, rho1: float) -> list[Arm]:
    at = f"({rho0}, {rho1})"
    return [
        Arm(f"noisy, z-score {at}", "noisy", "zscore", rho0, rho1),
        Arm(f"noisy, leave-one-out {at}", "noisy", "none", rho0, rho1),
        Arm(f"backward {at}", "noisy", "backward", rho0, rho1),
        Arm(f"forward {at}", "noisy", "forward", rho0, rho1),
    ]


def _by_format() -> list[Arm]:
    """ρ0 = .1 and ρ1 = .05 for digits, .45 for words; and the other way round, since digits are the easier habit."""
    rows = []
    for kind, digits, words in (("words suffer", 0.05, 0.45), ("digits suffer", 0.45, 0.05)):
        base = Arm("", "noisy", "zscore", 0.2, digits, words)
        mean = (0.2, 0.25)
        rows += [
            replace(base, name=f"noisy, z-score, {kind}"),
            replace(base, name=f"noisy, leave-one-out, {kind}", advantage="none"),
            replace(base, name=f"backward, mean rates, {kind}", advantage="backward", assumed=mean),
            replace(base, name=f"backward, rates of the format, {kind}", advantage="backward", by_format=True),
            replace(base, name=f"forward, mean rates, {kind}", advantage="forward", assumed=mean),
            replace(base, name=f"forward, rates of the format, {kind}", advantage="forward", by_format=True),
            replace(base, name=f"appealed reward, exact judge, q .3, {kind}", advantage="appealed", q=0.3),
        ]
    return rows


def _appeals() -> list[Arm]:
    """At (.1, .2): the appeal judge accepts half (lenient) of the wrong numbers with the right last digit."""
    base = Arm("", "noisy", "none", 0.1, 0.2, q=0.1, lenient=0.5)
    return [
        replace(base, name="flips alone, q .1", flip=True),
        replace(base, name="estimate and backward, q .1", advantage="backward", estimate=True),
        replace(base, name="estimate and forward, q .1", advantage="forward", estimate=True),
        replace(base, name="estimate, flips and forward, q .1", advantage="forward", estimate=True, flip=True),
        replace(base, name="estimate and forward, exact judge, q .1", advantage="forward", estimate=True, lenient=None),
        Arm("the lenient judge alone, z-score", "judge", "zscore", lenient=0.5),
        Arm("the lenient judge alone, leave-one-out", "judge", "none", lenient=0.5),
    ]


def _accepted() -> list[Arm]:
    """At (.1, .2): the accepted answers, which are few at first, are heard too."""
    base = Arm("", "noisy", "none", 0.1, 0.2, q=0.1, q_accepted=1.0, flip=True)
    return [
        replace(base, name="flips, q .1 and all accepted, exact judge"),
        replace(base, name="flips, q .1 and all accepted, lenient judge", lenient=0.5),
        replace(base, name="flips, q .1 and half the accepted, exact judge", q_accepted=0.5),
        replace(base, name="flips, q .3 and all accepted, exact judge", q=0.3),
    ]


def _sweep() -> list[Arm]:
    base = Arm("", "noisy", "forward", 0.1, 0.2, q=0.1, lenient=0.5, estimate=True)
    return [
        *(replace(base, name=f"forward, q {q}", q=q) for q in (0.02, 0.3, 1.0)),
        *(replace(base, name=f"forward, decay {decay}", decay=decay) for decay in (0.0, 0.99)),
        *(replace(base, name=f"forward, prior {a}, {b}", prior=(a, b)) for a, b in ((10.0, 40.0),)),
        replace(base, name="forward, average of ratios", average="ratio"),
        replace(base, name="forward, the judge's own errors known", known_judge=True),
    ]
