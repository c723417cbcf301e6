#: environment: base
from typing import Dict, List, NamedTuple, Optional, get_type_hints

class Row(NamedTuple):
    name: str
    score: Optional[float] = None

def index(rows: List[Row]) -> Dict[str, Row]:
    return {row.name: row for row in rows}

print(get_type_hints(index)["return"] == Dict[str, Row], index([Row("a", 1.5)])["a"].score)
