#!/usr/bin/env python3
"""Checks the history of a run from a git bundle or a repository, by the rules of docs/proof.md.
Shares no code with runner; needs git and Python 3.11. Prints one line of JSON a run. Exit: 0 proven or not provable, 1 not proven, 2 no run.
  verify.py run.bundle [--run ID] [--logs .runner/iterations/ID] [--prefix FOLDER/]
  verify.py repository --batch FILE        of lines "<commit> <run>"
"""
import argparse, copy, functools, hashlib, json, math, os, posixpath, re, subprocess, sys, tempfile, tomllib

RULES = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rules.json")))  # the tables of docs/proof.md
KEYS = ["id", "order", "title", "goal", "acceptance", "passes", "attempts", "max_attempts", "children"]
STATE, RECORD, OUTCOMES, GREEN, PASSED = (RULES[key] for key in ("state", "record", "outcomes", "green", "passed"))
REPAIRS, EMPTY, GUARDED = ["repaired", "repair-fruitless"], ["empty-change-asked", "empty-change-rejected"], GREEN + RULES["red"]
GLOBS = [re.escape(glob).replace(r"/\*\*", "(?:/.*)?").replace(r"\*", "[^/]*") for glob in RULES["tool_files"]]
TOOL = re.compile(f"(?:.*/)?(?:{'|'.join(GLOBS)})", re.I | re.S)
sha = lambda text: hashlib.sha256(text.encode()).hexdigest()
same = lambda a, b: json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
compact = lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False)
render = lambda tree: json.dumps(tree, indent=2, ensure_ascii=False) + "\n"
is_open_leaf = lambda node: not node["passes"] and not node["children"]
texts_of = lambda node: (node["title"], node["goal"], node["acceptance"])
index = lambda tree: {node["id"]: (node, parent and parent["id"]) for node, parent in walk(tree)}
shape = lambda tree: [[*texts_of(n), n["id"], n["order"], n["max_attempts"], parent and parent["id"]] for n, parent in walk(tree)]
amount = lambda text: number(text) if text and re.fullmatch(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?", text) else text

class Wrong(Exception): ...  # a transition that does not follow
def need(holds, rule):
    if not holds: raise Wrong(rule)

class Repo:  # objects of a repository, through one `git cat-file --batch`
    def __init__(self, path):
        env = {"GIT_NO_REPLACE_OBJECTS": "1", "PATH": os.environ["PATH"]}
        self.pipe = subprocess.Popen(["git", "-C", path, "cat-file", "--batch"], stdin=-1, stdout=-1, env=env)
        self.git = lambda *args: subprocess.run(["git", "-C", path, *args], capture_output=True, text=True, check=True).stdout.strip()
        self.is_shallow = os.path.exists(cut := os.path.join(path, self.git("rev-parse", "--git-path", "shallow")))
        self.cut = open(cut).read().split() if self.is_shallow else []  # commits whose parents are not there
    @functools.cache
    def get(self, name):
        self.pipe.stdin.write(name.encode() + b"\n"), self.pipe.stdin.flush()
        head = self.pipe.stdout.readline().split()
        return (head[0].decode(), self.pipe.stdout.read(int(head[2]) + 1)[:-1]) if len(head) == 3 and head[2].isdigit() else None
    def commit(self, name):
        oid, data = self.get(name + "^{commit}")
        head, message = re.split("\n\n+", data.decode("utf-8", "replace") + "\n\n", maxsplit=1)
        lines = [line.split(" ", 1) for line in head.split("\n")]
        parent = next((line[1] for line in lines if line[0] == "parent" and oid not in self.cut), None)
        return {"id": oid, "tree": lines[0][1], "parent": parent, "message": message, "trailers": trailers(message)}
    def entries(self, oid):  # mode, name and id
        data, size, at = self.get(oid)[1], len(oid) // 2, 0
        while at < len(data):
            mode, _, name = data[at:data.index(b"\0", at)].partition(b" ")
            at += len(mode) + len(name) + 2 + size
            yield mode, name, data[at - size:at].hex()
    def work(self, oid, prefix):  # id of a tree without .runner of the project; folders without files are in none
        (folder, _, below), data = prefix.encode().partition(b"/"), b""
        id_of = lambda data: hashlib.new("sha1" if len(oid) == 40 else "sha256", b"tree %d\0" % len(data) + data).hexdigest()
        for mode, name, entry in self.entries(oid):
            new = entry if name != (folder or b".runner") else self.work(entry, below.decode()) if folder else id_of(b"")
            data += mode + b" " + name + b"\0" + bytes.fromhex(new) if new == entry or new != id_of(b"") else b""
        return id_of(data)
    @functools.cache
    def files(self, oid):  # mode and id by path
        found = {}
        for mode, name, entry in self.entries(oid):
            below = {"": (mode.decode(), entry)} if mode != b"40000" else {f"/{path}": one for path, one in self.files(entry).items()}
            found.update({name.decode("utf-8", "replace") + path: one for path, one in below.items()})
        return found
    at = lambda self, commit: self.files(self.commit(commit)["tree"]) if commit else {}

def trailers(message):  # of the last paragraph that has any
    lines, keys = [re.findall(r"^Runner-([A-Za-z0-9-]+: .*)", text, re.M) for text in message.partition("\n")[2].split("\n\n")], {}
    for key, value in (line.split(": ", 1) for line in next(filter(None, reversed(lines)), [])): keys.setdefault(key, []).append(value)
    return keys

number = lambda text: int(float(text)) if float(text).is_integer() else float(text)  # a double is all that the runner has
def load(text):  # JSON that can be read in one way only; None: it is none
    depth = lambda value: 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0) if isinstance(value, dict | list) else 0
    unique = lambda pairs: need(len({"__proto__": 0, **dict(pairs)}) == len(pairs) + 1, "keys") or dict(pairs)
    def strict(text):
        value = number(text)
        is_lost = math.isinf(value) or (type(value) is int and abs(value) >= 2**53) or (value == 0 and re.match("[^eE]*[1-9]", text))
        return need(not is_lost and len(text) < 400, "number") or value
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_int=strict, parse_float=strict, parse_constant=lambda _: need(False, "number"))
        json.dumps(value, ensure_ascii=False).encode()  # fails on half of a surrogate pair
        return need(depth(value) <= 256, "depth") or value
    except (ValueError, TypeError, RecursionError, Wrong): return None
def load_state(text):  # the keys of the proof, missing ones with their defaults; None: not readable
    value = load(text)
    state = {**copy.deepcopy(STATE), **{key: value[key] for key in STATE if key in value}} if isinstance(value, dict) else {}
    texts = [state.get(key) for key in ("run_id", "base_branch", "base_commit", "goal_sha256", "last_summary")]
    tables = [state.get("totals"), state.get("nodes"), *((state.get(key) or {}) for key in ("ratchet", "guard_checkout", "resolved"))]
    is_shaped = all(isinstance(table, dict) for table in tables) and all(isinstance(one, dict) for one in state["nodes"].values())
    if not is_shaped or "next_iter" not in value or not all(isinstance(text, str | None) for text in texts): return None
    state["totals"], state["nodes"] = {**STATE["totals"], **state["totals"]}, {name: {**RECORD, **one} for name, one in state["nodes"].items()}
    return state if state["guard_baseline"] in (None, "green", "red", "not_found") else None
walk = lambda tree, parent=None: [(tree, parent), *(pair for child in tree["children"] for pair in walk(child, tree))]
def read_tree(text, owned=None):  # a valid tree, sorted; `owned` gives keys that are the runner's, and then passes are not compared
    seen = set()
    def node(value, depth):
        need(isinstance(value, dict) and depth <= 64 and len(seen) < 100000, "a node")
        value = {**value, **((owned(value.get("id")) or {}) if owned else {})}
        need(set(value) == set(KEYS), "keys")
        name, counts = value["id"], [value[key] for key in ("order", "attempts", "max_attempts")]
        need(isinstance(name, str) and re.fullmatch(RULES["id"], name, re.I | re.A) and name.lower() not in seen, "id")
        need(all(type(one) is int and abs(one) < 2**53 for one in counts) and 0 <= counts[1] <= counts[2] and counts[2] > 0, "numbers")
        need([type(value[key]) for key in ("passes", "acceptance", "children", "title", "goal")] == [bool, list, list, str, str], "types")
        need(all(isinstance(one, str) for one in value["acceptance"]), "acceptance") or seen.add(name.lower())
        children = sorted((node(child, depth + 1) for child in value["children"]), key=lambda one: (one["order"], one["id"]))
        below = [one for child in children for one, _ in walk(child)]
        need(owned or (all(one["passes"] for one in below) if value["passes"] else not below or any(map(is_open_leaf, below))), "passes")
        return {**{key: value[key] for key in KEYS}, "children": children}
    try: return node(load(text), 1)
    except Wrong: return None
def passed_unchanged(before, after, opened=()):  # `opened`: passed nodes of which only place and texts must be the same
    def flat(node, parent):
        fields = [node[key] for key in KEYS[:-1] if key != "passes" or node["id"] not in opened]
        return parent, fields, [child["id"] for child in node["children"] if node["id"] not in opened]
    new = index(after)
    return all(name in new and flat(*pair) == flat(*new[name]) for name, pair in index(before).items() if pair[0]["passes"])
def accepted(before, text, node, status, cfg):  # the tree that a session left, if the rules accept it; node None: a repair
    old, after = index(before), before
    def owned(name):
        known = old[name][0] if isinstance(name, str) and name in old else None
        fresh = {"passes": False, "attempts": 0, "max_attempts": cfg["max_attempts_default"]}
        return fresh if known is None else None if known["passes"] else {key: known[key] for key in fresh}
    if text != render(before):
        need((after := read_tree(text, owned)) and passed_unchanged(before, after), "passed nodes")
        check_structure(old, after, node, cfg)
    if node is not None:
        was, now = old[node][0], index(after)[node][0]
        gained = {child["id"] for child in now["children"]} - {child["id"] for child in was["children"]}
        need(bool(gained) == (status == "decomposed") and not gained & set(old), "children")
        need(status != "done" or texts_of(was) == texts_of(now), "texts of the node")
    return after
def check_structure(old, after, selected, cfg):
    new, internal = index(after), lambda name: name in old and bool(old[name][0]["children"])
    for name, (node, parent) in old.items():
        if not node["passes"] and name not in new:
            need(name != selected and cfg["tree.allow_removal"], "removed")
        elif not node["passes"]:
            now, where = new[name]
            need(selected in (None, name) or node["children"] or not now["children"], "gained children")
            need(where == parent or internal(where), "moved")
    for name, (node, _) in new.items():
        is_lost = not node["passes"] and not any(is_open_leaf(one) for one, _ in walk(node) if one is not node)
        was, size = old[name][0] if name in old else dict.fromkeys(KEYS), len("".join([node["goal"], *node["acceptance"]]).encode())
        need(not is_lost or not (node["children"] or internal(name)), "no open descendant")
        need((node["title"] == was["title"] or len(node["title"].encode()) <= 200) and (texts_of(node)[1:] == texts_of(was)[1:] or size <= 8192), "texts")
def attempt(node, name):
    uses = node["id"] == name and not node["children"] and node["attempts"] < node["max_attempts"]
    return {**node, "attempts": node["attempts"] + uses, "children": [attempt(child, name) for child in node["children"]]}
def passing(node, name):
    children = [passing(child, name) for child in node["children"]]
    is_passed = node["passes"] or node["id"] == name or (bool(children) and all(child["passes"] for child in children))
    return {**node, "passes": is_passed, "children": children}
def select(tree, state, cfg):  # purpose and node of the next iteration; node None: there is none
    leaves = [node for node, _ in walk(tree) if is_open_leaf(node)]
    free = [leaf["id"] for leaf in leaves if leaf["attempts"] < leaf["max_attempts"]]
    if state["repair"] or not leaves: return ("repair", state["repair"]["node_id"]) if state["repair"] else ("execute", None)
    if free and (free[0] == leaves[0]["id"] or cfg["on_stuck"] == "defer"): return "execute", free[0]
    is_planned = cfg["on_stuck"] == "decompose" and not state["nodes"].get(leaves[0]["id"], RECORD)["decompose_used"]
    return ("plan", leaves[0]["id"]) if is_planned else ("execute", None)
def settings(text, overrides):  # config.toml with what the commit says was set otherwise
    try: file = tomllib.loads(text or "", parse_float=number)
    except (tomllib.TOMLDecodeError, AttributeError): raise Wrong("config.toml") from None
    said = {key: load(value) for key, _, value in (line.partition("=") for line in overrides)}
    file = {**file, **{f"{section}.{key}": value for section, table in file.items() if isinstance(table, dict) for key, value in table.items()}}
    found = {key: said.get(key, file.get(key)) for key in RULES["settings"]}
    return {key: RULES["settings"][key] if value is None else value for key, value in found.items()}
def rings(cfg, state):  # what was around agent and guard, and whether the guard had a clone; `state` says what "auto" came to
    known, found, is_auto = state["resolved"] or {}, state["guard_checkout"] or {}, cfg["sandbox.kind"] == "auto"
    kind = cfg["sandbox.kind"] if not is_auto else "none" if cfg["agent.permissions"] == "full" else known.get("sandbox", "none")
    pick = lambda key, other: other if cfg[key] is None else cfg[key]
    inside, network = pick("sandbox.guard", known.get("guard", False) if is_auto else True), pick("sandbox.guard_network", known.get("guard_network", True))
    where = "" if kind == "none" else f" guard={'outside' if not inside else 'online' if network else 'offline'}"
    auto = found.get("mode") if found.get("sha256") == checkout_hash(cfg) else "off"
    return f"sandbox={kind}{where} settings=on checkout={auto if cfg['guard.checkout'] == 'auto' else cfg['guard.checkout']}"
checkout_hash = lambda cfg: sha(compact([cfg["guard.command"], cfg["automation.setup"]]))
def add(a, b, unit=1):
    known = [value for value in (a, b) if value is not None]
    total = min(2**53 - 1, math.floor(sum(known) * unit + 0.5)) / unit if known else None
    return int(total) if known and total.is_integer() else total
def check_between(known, after, may_reopen):  # nothing passes, nothing is used up; returns whether a passed node is open again
    old, new, fresh = index(known), index(after), ({"passes": False, "attempts": 0}, None)
    inner = {name for name, (node, _) in old.items() if may_reopen and node["passes"] and node["children"] and name in new}
    opened = {name for name in inner if not new[name][0]["passes"]}
    need(passed_unchanged(known, after, opened), "passed nodes")
    for name, (node, was) in ((name, (node, old.get(name, fresh)[0])) for name, (node, _) in new.items()):
        need(node["attempts"] == was["attempts"] and node["passes"] == (was["passes"] and name not in opened), "changed by hand")
    return bool(opened)

class Run:
    def __init__(self, repo, run, prefix="", logs=None):
        self.repo, self.run, self.prefix, self.logs, self.bases = repo, run, prefix or "", logs, {}
    def text(self, commit, name):  # of .runner/state; None: no such file; False: no text
        mode, oid = self.repo.at(commit).get(f"{self.prefix}.runner/state/{name}", ("160000", None))
        try:
            data = b"" if mode == "160000" else self.repo.get(oid)[1]
            return None if mode == "160000" else len(data) <= 2**26 and data.decode()
        except UnicodeDecodeError: return False
    def run_at(self, commit):
        value = load(self.text(commit, "run_state.json"))
        return value.get("run_id") if isinstance(value, dict) else None
    def changes(self, old, new):  # what became of paths in .runner/, relative to it, and the paths elsewhere
        old, new, root = self.repo.at(old), self.repo.at(new), f"{self.prefix}.runner/"
        found = [path for path in {**old, **new} if old.get(path) != new.get(path)]
        return {p[len(root):]: new.get(p) for p in found if p.startswith(root)}, [p for p in found if not p.startswith(root)]
    def trace(self, tip):  # transitions, oldest first, and whether the first one begins the run
        line, found, at, is_first = [self.repo.commit(tip)], [], 0, False
        while line[-1]["parent"]: line.append(self.repo.commit(line[-1]["parent"]))
        places = {commit["id"]: place for place, commit in enumerate(line)}
        while at < len(line) and not is_first and self.run_at(line[at]["id"]) == self.run:
            commit, subject, match = line[at], line[at]["message"].split("\n")[0], re.fullmatch(RULES["subject"], line[at]["message"].split("\n")[0])
            one = lambda key, known=commit["trailers"]: known.get(key, [None])[0]
            step = {**commit, "kind": "plain", "from": commit["parent"], "base": commit["parent"], "one": one}
            at += 1
            if match and match[1] == self.run:
                base, ground = places.get(one("Baseline"), -1), places.get(one("Control") or one("Baseline"), -1)
                step.update(kind="iteration", on_line=at <= ground <= base, iter=int(match[2]), node=match[3], said=[match[4], match[5]])
                step.update({"base": line[base]["id"], "from": line[ground]["id"]} if step["on_line"] else {})
                at = ground if step["on_line"] else at
            elif one("Person") is not None: step.update(kind="person", command=one("Person"))
            elif subject == f"chore(loop): start run {self.run}" and one("Run") == self.run:
                step.update(kind="start", first=(is_first := self.run_at(commit["parent"]) != self.run))
            found.append(step)
            if self.repo.is_shallow and not commit["parent"]: return found[::-1], None
        return found[::-1], is_first
    def verify(self, tip, is_ended=False):
        steps, is_whole = self.trace(tip)
        say = lambda verdict, commit=None, rule=None: {"run": self.run, "verdict": verdict, "commit": commit, "rule": rule}
        if not is_whole:
            oldest = (steps or [self.repo.commit(tip)])[0]["id"]
            return say("not_provable", oldest, "shallow") if is_whole is None else say("unproven", oldest, "start")
        wrong, known, own, lost, has_begun = None, None, None, None, False
        self.needs_work = steps[0]["trailers"].get("Proof", ["1"])[0] != "1"
        for step in steps:
            is_iteration = step["kind"] == "iteration"
            if is_iteration and "Proof" not in steps[0]["trailers"] and not (step["one"]("Baseline") and step["one"]("Outcome")):
                return say("not_provable", step["id"], "trailers")
            try: self.iteration(step, own) if is_iteration else self.between(step, known)
            except Wrong as found:
                wrong = wrong or say("unproven", step["id"], str(found))
                if step["kind"] != "plain": return wrong
            tree = read_tree(self.text(step["id"], "tree.json"))
            known, lost = tree or known, None if tree else lost or say("unproven", step["id"], "tree.json")
            own = step["id"] if is_iteration or (step["kind"] == "start" and not has_begun) else own
            has_begun = has_begun or is_iteration
        wrong = wrong or lost
        name = self.finish(self.repo.commit(tip)["id"], known) if is_ended and not wrong else None
        return wrong or (say("unproven", name, "finish") if name else say("proven"))
    def between(self, step, known):  # the commit that begins a run, a person's command, or a plain commit
        (inside, outside), tree = self.changes(step["from"], step["id"]), self.text(step["id"], "tree.json")
        after, texts = read_tree(tree), [self.text(one, "run_state.json") for one in (step["from"], step["id"])]
        was, now = map(load_state, texts)
        free = {"start": {"guard_baseline", "guard_checkout", "resolved"}, "plain": {"base_branch"}}.get(step["kind"], set())
        need(step["kind"] != "start" or not outside, "files outside .runner/")
        if step.get("first"):
            free |= {"run_id", "base_branch", "base_commit", "goal_sha256"}
            need(after and now and all(same(STATE[key], now[key]) for key in STATE if key not in free), "run state of a new run")
            need(not any(node["passes"] or node["attempts"] for node, _ in walk(after)), "passed at the start")
            return need(now["base_commit"] in (None, step["from"], (was or STATE)["base_commit"]), "base_commit")
        if texts[0] != texts[1] or not isinstance(texts[0], str):
            need(was and now and all(same(was[key], now[key]) for key in STATE if key not in free), "run_state.json")
        command = step.get("command")
        if command not in RULES["person"]: return check_between(known, after, False) if known and after else None
        need(known and after and all(re.fullmatch(RULES["person"][command], path) for path in inside), "files of the command")
        need((command == "update" or not outside) and ("state/tree.json" not in inside or tree == render(after)), "files of the command")
        need(all(name in index(after) or (command == "drop" and inside.get(f"nodes/{name}/dropped.json")) for name in index(known)), "dropped.json")
        need(check_between(known, after, True) == ("reopened" in step["trailers"].get("Mark", [])), "mark reopened")
    def iteration(self, step, own):
        one, node, tree = step["one"], step["node"], self.text(step["id"], "tree.json")
        need(all(len(step["trailers"].get(key, [])) < 2 for key in RULES["single"]) and one("Run") == self.run and step["on_line"], "trailers")
        name, (base, before) = one("Outcome"), [read_tree(self.text(step[key], "tree.json")) for key in ("base", "from")]
        was, now = [load_state(self.text(step[key], "run_state.json")) for key in ("base", "id")]
        need(name in OUTCOMES and base and before and read_tree(tree) and was and now, "readable")
        cfg = settings(self.text(step["base"], "config.toml"), step["trailers"].get("Setting", []))
        (purpose, selected), is_cut = select(base, was, cfg), name in RULES["unfinished"]
        need(was["next_iter"] == step["iter"] and (name == "undone" or step["from"] == step["base"]), "number and control")
        need((selected or (before["id"] if name == "undone" else "")) == node, "selected node")
        need(is_cut or ((name in REPAIRS) == (purpose == "repair") and (name == "decomposed" or (name == "plan-used-up") == (purpose == "plan"))), "purpose")
        status, guard, kind, failures, judged, has_summary, is_told = OUTCOMES[name]
        need(step["said"] == [status, guard] and (not has_summary or isinstance(now["last_summary"], str)), "status and summary")
        after, record, left = before, was["nodes"].get(node), now["nodes"].get(node, RECORD)["base"]
        if kind.startswith("agent"):
            after = accepted(before, tree, None if purpose == "repair" else node, status if name in ("retry", "decomposed") else "done", cfg)
            need(len((now["last_summary"] or "").encode()) <= 8192, "summary")
        marks = {"changed-goal"} if name == "retry" and texts_of(index(before)[node][0]) != texts_of(index(after)[node][0]) else set()
        review = one("Review") and (one("Review")[-4:] if one("Review").endswith((" verdict=pass", " verdict=fail")) else "none")
        need(review in {"pass": (None, "pass"), "review-fail": ("fail",), "review-no-verdict": ("none",)}.get(name, (review,)), "review")
        if record is None: self.bases[node], record = step["base"], {**RECORD, "base": left or "unknown"}
        is_empty = record["base"] is not None and node in self.bases and not self.changes(self.bases[node], step["id"])[1]
        wish, rejected = cfg["guard.empty_change"], self.text(step["id"], "tree.rejected.json")
        is_asked = is_empty and (wish == "reject" or (wish == "confirm" and not record["confirm_asked"]))
        need(name == EMPTY[wish == "reject"] if is_asked and name in EMPTY + PASSED else name not in EMPTY, "empty change")
        marks |= {"confirmed-empty-change"} if name == "pass" and is_empty and record["confirm_asked"] else set()
        change = {"plan-used-up": {"decompose_used": True}, "decomposed": {"decompose_used": purpose == "plan" or record["decompose_used"]},
                  "tree-invalid": {"invalid_trees": record["invalid_trees"] + 1}, "empty-change-asked": {"confirm_asked": True}}.get(name, {})
        uses, repair, action, max_repairs = int(kind.endswith("+")), was["repair"], "keep", cfg["tree.max_repairs"]
        if name == "tree-invalid":
            uses, digest = (record["invalid_trees"] > 0) + (max_repairs == 0), (now["repair"] or {}).get("sha256")
            due = {"node_id": node, "count": 0, "sha256": sha(rejected) if isinstance(rejected, str) else digest}
            repair, action = (due, "write") if max_repairs else (repair, "keep")
        elif name in REPAIRS:
            uses = name == "repair-fruitless" and repair["count"] + 1 >= max_repairs
            repair, action = (None, "remove") if uses or name == "repaired" else ({**repair, "count": repair["count"] + 1}, "keep")
        for use in [passing] * (name == "pass") + [attempt] * uses: after = use(after, node)
        need(tree == render(after) and [one("Tree-Before-SHA256"), one("Tree-After-SHA256")] == [sha(render(before)), sha(tree)], "tree.json")
        tokens, cost = amount(one("Tokens")), amount(one("Cost-USD"))
        need(not isinstance(tokens, str) and not isinstance(cost, str), "amounts")
        spent = lambda of: {"tokens": add(of["tokens"], tokens), "cost_usd": add(of["cost_usd"], cost, 1e6)}
        for key, of in (("", RECORD), ("Node-", record), ("Run-", was["totals"])):
            need([amount(one(key + "Tokens")), amount(one(key + "Cost-USD"))] == list(spent(of).values()), "amounts")
        seconds, old = now["totals"]["seconds"], was["failures_in_a_row"]
        more = seconds - was["totals"]["seconds"] if type(seconds) in (int, float) else -1
        nodes = {key: value for key, value in was["nodes"].items() if key != node}
        if name != "pass" and (purpose != "repair" or node in was["nodes"]):
            nodes[node] = {**record, **change, **spent(record)}
            need(record["base"] is None or re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", record["base"]), "base")
        fails = [now["failures_in_a_row"] == one_value for one_value in {"count": (old + 1, 1), "reset": (0,)}.get(failures, (old, 0))]
        need(more >= 0 and type(now["failures_in_a_row"]) is int and any(fails), "counters")
        expected = {**was, "next_iter": step["iter"] + 1, "last_status": status, "last_guard": guard, "repair": repair, "nodes": nodes,
                    "last_summary": now["last_summary"] if has_summary else None, "failures_in_a_row": now["failures_in_a_row"], "ratchet": now["ratchet"],
                    "judged_sessions": was["judged_sessions"] + judged, "totals": {**spent(was["totals"]), "seconds": seconds}}
        if one("Guard-Exit") == "0" and (now["guard_checkout"] or {}).get("sha256") == checkout_hash(cfg): expected["guard_checkout"] = now["guard_checkout"]
        need(all(same(expected[key], now[key]) for key in STATE), "run_state.json")
        open_before, open_after = [{key for key, (leaf, _) in index(one_tree).items() if is_open_leaf(leaf)} for one_tree in (before, after)]
        for path, file in self.changes(step["from"], step["id"])[0].items():
            of = (re.fullmatch(r"nodes/([^/]+)/last\.json", path) or [None, None])[1]
            is_last = not file if of in open_before - open_after else of == node and is_told and file
            need(action != "keep" if path == "state/tree.rejected.json" else is_last if of else not re.fullmatch(RULES["not_agents"], path), path)
        need(action != "remove" or rejected is None, "tree.rejected.json")
        need(one("Rings") == rings(cfg, now), "rings")
        need((one("Work") is None and not self.needs_work) or one("Work") == self.repo.work(step["tree"], self.prefix), "work")
        self.describe(step, cfg, "repair" if purpose == "repair" else shape(before) != shape(after))
        self.references(step, cfg, (was["ratchet"], now["ratchet"]), own, marks)
    def describe(self, step, cfg, mode):  # what the commit says about guard, files and logs
        one, name, outside = step["one"], step["one"]("Outcome"), self.changes(step["base"], step["id"])[1]
        is_hash = lambda key: bool(re.fullmatch("[0-9a-f]{64}", one(key) or ""))
        setting, without = cfg["guard.counterfactual"], one("Counterfactual")
        words = " ".join(word if re.fullmatch(r"[^\s\"'\\`]+", word) else compact(word) for word in cfg["guard.command"])
        need(not words.isascii() or not words.isprintable() or one("Guard-Command") == " ".join(words.split()), "guard command")
        need(is_hash("Prompt-SHA256") or (name == "undone" and one("Prompt-SHA256") == "unknown"), "prompt")
        need(name not in GUARDED + EMPTY + RULES["answered"] or is_hash("Answer-SHA256"), "answer")
        need(name not in GREEN or (one("Guard-Exit") == "0" and is_hash("Guard-Log-SHA256")), "guard")
        need(name in GUARDED + RULES["unfinished"] or one("Guard-Exit") is one("Guard-Log-SHA256") is None, "guard")
        need(name != "pass" or cfg["review.agent"] is None or one("Review") is not None, "review")
        is_tried = without and (setting, without) != ("require", "green")
        need(without == "green" if name == "counterfactual-fail" else name != "pass" or setting == "off" or is_tried, "counterfactual")
        need(one("Mode") == (mode if mode == "repair" else "decompose" if mode and not outside else "execute") and one("Changed-Files") == str(len(outside)), "mode and files")
        for path, key in ((f"{self.logs}/{step['iter']}/{file}", key) for file, key in RULES["logs"].items() if self.logs and is_hash(key)):
            need(not os.path.exists(path) or hashlib.sha256(open(path, "rb").read()).hexdigest() == one(key), path)
    def references(self, step, cfg, ratchets, own, marks):  # the guard's own files, and the marks
        (was, now), digest = ratchets, sha(compact([cfg["guard.command"], cfg["guard.protect"]]))
        need(now and now["guard_sha256"] == digest, "ratchet")
        touched, outside = self.changes(own, step["base"])[1] if own else [], self.changes(step["base"], step["id"])[1]
        version, entry = lambda file: (file["path"], file["mode"], file["oid"]), lambda commit, path: (path, *self.repo.at(commit).get(path, (None, None)))
        at = lambda commit, file: entry(commit, file["path"]) == version(file)
        is_moved, old = step["said"][1] == "pass" and cfg["guard.policy"] != "protect", [version(file) for file in was["files"]] if was else []
        is_standing = bool(was) and was["guard_sha256"] == digest and not any(path in touched for path, *_ in old)
        for file in now["files"]: need(at(step["id"], file) if is_moved else is_standing or at(step["base"], file) or version(file) in old, "ratchet")
        need(is_moved or not is_standing or same(was, now), "ratchet")
        known, held = (was if is_standing else None) if is_moved else now, {one[0]: one for one in reversed(old) if one[0] not in touched}
        is_limited = bool(was) and was["guard_sha256"] == digest and cfg["guard.protect"] is not None  # the same globs, matched again
        anew = lambda path: held.get(path) or ((path, None, None) if is_limited and path not in touched else entry(step["base"], path))
        other = [one for one in (known or now)["files"] if (entry(step["id"], one["path"]) if known else anew(one["path"])) != version(one)]
        is_told = lambda path: bool(known) or (None not in (anew(path)[1], entry(step["base"], path)[1]) and path in outside)
        is_free = not (known or other) or any(one["scripts"] is not None or not is_told(one["path"]) for one in other)
        words = [word for one in cfg["guard.command"] for word in (one, one[one.find("=") + 1:])]
        named = {posixpath.normpath("/" + self.prefix + word)[1:] for word in words if word and not word.startswith("/")}
        named |= set() if is_free else {file["path"] for file in other}
        is_just = lambda path: path.startswith(self.prefix) and path[len(self.prefix):].lower() in ("justfile", ".justfile")
        rules = {"changed-guard-files": lambda path: path in named or is_just(path), "changed-tool-files": TOOL.fullmatch,
                 "changed-ignore-rules": lambda path: path == ".gitignore" or path.endswith("/.gitignore")}
        said = step["trailers"].get("Mark", [])
        marks |= {mark for mark, rule in rules.items() if any(map(rule, outside))} | ({"changed-guard-files"} & set(said) if is_free else set())
        need(sorted(said) == sorted(marks), "marks")
    def finish(self, tip, tree):  # a commit that says it finished the run, and says it wrongly
        state, leaves = load_state(self.text(tip, "run_state.json")), [node for node, _ in walk(tree) if not node["children"]]
        facts = [self.run, str(state["next_iter"] - 1), f"{sum(leaf['passes'] for leaf in leaves)}/{len(leaves)}"]
        for name in sorted(self.repo.git("log", "--branches", "--format=%H", "-F", f"--grep=Runner-Tip: {tip}").split()):
            said = [self.repo.commit(name)["trailers"].get(key, [None])[0] for key in ("Run", "Iterations", "Passes", "Tokens", "Cost-USD")]
            if said[:3] + list(map(amount, said[3:])) != facts + [state["totals"]["tokens"], state["totals"]["cost_usd"]]: return name

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("source", "--run", "--batch", "--logs", "--prefix"): parser.add_argument(flag)
    args, codes = parser.parse_args(), []
    with tempfile.TemporaryDirectory() as folder:
        if not os.path.isdir(args.source): subprocess.run(["git", "clone", "-q", "--mirror", args.source, folder], check=True)
        repo = Repo(args.source if os.path.isdir(args.source) else folder)
        listed = repo.git("for-each-ref", "--format=%(refname) %(refname:lstrip=3)", "refs/heads/runner/", "refs/runner/archive/")
        lines = open(args.batch) if args.batch else listed.splitlines()
        for ref, run in (line.split() for line in lines):
            if args.run in (None, run):
                found = Run(repo, run, args.prefix, args.logs).verify(ref, ref.startswith("refs/runner/"))
                codes.append(found["verdict"] == "unproven")
                print(json.dumps(found))
    return 0 if args.batch else int(max(codes, default=2))
if __name__ == "__main__": sys.exit(main())
