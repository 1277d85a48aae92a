"""Units of measure in answers: which are the same, and how one turns into another.

In: a unit's words. Out: its dimension and factor, and whether two quantities are equal. Factors are exact by
definition (international foot and pound, the SI prefixes; CODATA not needed). This module knows no text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from corver.text.answers.lexicon import QUALIFIERS, word_list
from corver.text.answers.numbers import Term

__all__ = ["GLUED_UNITS", "Unit", "same_quantity", "same_total", "total_of", "unit_of"]


@dataclass(frozen=True, slots=True)
class Unit:
    """value · factor + offset is the quantity in the dimension's base unit."""

    dimension: str
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)


def _table(dimension: str, rows: str) -> dict[str, Unit]:
    """Lines of a factor and the names of its unit."""
    units: dict[str, Unit] = {}
    for row in rows.strip().splitlines():
        factor, *names = row.split()
        units.update(dict.fromkeys(names, Unit(dimension, Fraction(factor))))
    return units


_UNITS: dict[str, Unit] = (
    _table(
        "length",
        """
        1 m metre metres meter meters
        1000 km kilometre kilometres kilometer kilometers kms
        1/100 cm centimetre centimetres centimeter centimeters
        1/1000 mm millimetre millimetres millimeter millimeters
        0.3048 ft foot feet
        0.0254 inch inches
        0.9144 yd yard yards yds
        1609.344 mi mile miles
        1852 nmi
        """,
    )
    | _table(
        "mass",
        """
        1 kg kilogram kilograms kilo kilos kgs
        1/1000 g gram grams
        1/1000000 mg milligram milligrams
        1000 tonne tonnes
        0.45359237 lb lbs pound pounds
        0.028349523125 oz ounce ounces
        """,
    )
    | _table(
        "time",
        """
        1 s sec secs second seconds
        60 min mins minute minutes
        3600 h hr hrs hour hours
        86400 day days
        604800 week weeks wk wks
        """,
    )
    | _table("months", "1 month months\n12 year years yr yrs\n120 decade decades")
    | _table("area", "1 sqm\n10000 hectare hectares ha\n4046.8564224 acre acres")
    | _table("volume", "1 l litre litres liter liters\n1/1000 ml millilitre millilitres milliliter milliliters")
    | _table("speed", "1 kmh kph\n1.609344 mph\n1.852 knot knots")
    | _table("data", "1 byte bytes\n1000 kb\n1000000 mb megabyte megabytes\n1000000000 gb gigabyte gigabytes\n1000000000000 tb terabyte terabytes")  # noqa: E501
    | _table("share", "1/100 % percent percentage pct")
    | _table("dollars", "1 $ dollar dollars usd\n1/100 cent cents")
    | _table("euros", "1 € euro euros eur")
    | _table("sterling", "1 £ gbp quid")
    | {
        "c": Unit("temperature", Fraction(1), Fraction(27315, 100)),
        "celsius": Unit("temperature", Fraction(1), Fraction(27315, 100)),
        "centigrade": Unit("temperature", Fraction(1), Fraction(27315, 100)),
        "kelvin": Unit("temperature"),
        "fahrenheit": Unit("temperature", Fraction(5, 9), Fraction(45967, 180)),
        "f": Unit("temperature", Fraction(5, 9), Fraction(45967, 180)),
    }
)  # fmt: skip

GLUED_UNITS = tuple(
    sorted(
        word_list(
            """
            km cm mm kg mg lb lbs ft mi mph kmh kph gb mb kb tb hr hrs min mins yr yrs ml bn mn k m g l b am pm
            """
        ),
        key=lambda unit: -len(unit),
    )
)
"""Units that are written right behind their number ("55kg")."""

_CONVERSION_TOLERANCE = Fraction(1, 100)
"""Converted figures are rounded ones: a mile is "1.6 km"."""

_LEAST_DIGITS = 3


def unit_of(word: str) -> Unit | None:
    return _UNITS.get(word)


def same_quantity(said: Term, said_unit: str | None, meant: Term, meant_unit: str | None) -> bool:
    """Whether two numbers with their units, as far as they have any, are the same quantity.

    In one unit: equal, or the more exact one rounds to the other where that was written as rounded ("3.5 million") and
    has three digits. In units of one dimension: equal within a hundredth after conversion.
    """
    one, other = said.number, meant.number
    if one is None or other is None:
        return False
    if said_unit == meant_unit or said_unit is None or meant_unit is None:
        return one == other or _rounds_to(said, meant) or _rounds_to(meant, said)
    first, second = _UNITS.get(said_unit), _UNITS.get(meant_unit)
    if first is None or second is None or first.dimension != second.dimension:
        return False
    left, right = one * first.factor + first.offset, other * second.factor + second.offset
    if first == second:
        return one == other or _rounds_to(said, meant) or _rounds_to(meant, said)
    return abs(left - right) <= _CONVERSION_TOLERANCE * max(abs(left), abs(right))


def total_of(terms: Sequence[Term]) -> tuple[str, Fraction, int] | None:
    """The sum of numbers that each have their unit, in one dimension: "5 feet 9 inches", "2 hours 30 minutes".

    Returns its dimension, the quantity in the base unit and how many numbers it took; None for anything else.
    """
    pairs = [term for term in terms if term.number is not None or term.word in _UNITS]
    if not pairs or len(pairs) % 2 or len(pairs) < len([term for term in terms if term.word not in QUALIFIERS]):
        return None
    dimension, total = "", Fraction(0)
    for number, name in zip(pairs[::2], pairs[1::2], strict=True):
        unit = _UNITS.get(name.word)
        if number.number is None or unit is None or unit.offset or dimension not in ("", unit.dimension):
            return None
        dimension, total = unit.dimension, total + number.number * unit.factor
    return dimension, total, len(pairs) // 2


def same_total(one: tuple[str, Fraction, int], other: tuple[str, Fraction, int]) -> bool:
    """Whether two sums are one quantity: exactly, or within a hundredth where they were put differently."""
    if one[0] != other[0]:
        return False
    allowed = Fraction(0) if one[2] == other[2] else _CONVERSION_TOLERANCE
    return abs(one[1] - other[1]) <= allowed * max(one[1], other[1])


def _rounds_to(exact: Term, rounded: Term) -> bool:
    """Whether `rounded`, given as so many thousands or millions, is `exact` in fewer digits."""
    if not rounded.rounded or exact.number is None or rounded.number is None or not exact.number:
        return False
    if rounded.digits < _LEAST_DIGITS - 1 or exact.digits <= rounded.digits:
        return False
    whole = exact.number
    step = Fraction(10) ** (len(str(int(abs(whole)))) - rounded.digits)
    return round(whole / step) * step == rounded.number
