"""The compiled code of the index: the only home of numba in corver."""
