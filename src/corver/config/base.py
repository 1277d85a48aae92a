"""What all configurations have in common.

In: nothing. Out: their base, and the types of numbers that many of them hold.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

__all__ = ["ConfigModel", "Fraction", "Positive"]

Positive = Annotated[float, Field(gt=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class ConfigModel(BaseModel):
    """Base of every configuration: frozen, no unknown keys, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_numbers(cls, value: Any, info: ValidationInfo) -> Any:
        annotation = cls.model_fields[str(info.field_name)].annotation
        if value is False and "off" in get_args(annotation):
            return "off"  # what YAML makes of a bare `off`
        # pydantic would take `steps: yes` for 1.
        if isinstance(value, bool) and annotation is not bool:
            raise ValueError(f"expected another type of value, found {str(value).lower()}")
        return value

    def fingerprint(self) -> str:
        """16 hex digits of a SHA-256 over the canonical JSON of all values."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]
