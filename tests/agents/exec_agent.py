#!/usr/bin/env python3
"""A player of every game for `hall agent --exec 'python3 exec_agent.py'`: no network, no keys, no packages."""

import json
import random
import sys

for line in sys.stdin:
    view = json.loads(line)
    print(json.dumps({"move": random.choice(view["legal_moves"])["notation"]}), flush=True)
