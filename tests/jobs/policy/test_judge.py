"""What runs at once, what asks and why, over a table of command lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Refused
from jobs.policy import Ruling, ShellPolicy, digest, judge
from jobs.policy.rules import match
from tests.jobs.policy.conftest import Rule

RUNS = [
    "ls", "ls -la src", "cat a.txt", "cat *.txt", "cat src/*", "cat links/near", "pwd", "echo hi", "echo $HOME", "echo *",
    "grep /x a.txt", "grep -rn foo src", "grep -e x a.txt", "rg foo", "head -n 5 a.txt", "wc -l src/*", "jq . a.txt",
    "find . -name '*.py'", "find . -name '*.py' -exec grep foo {} \\;", "find src -type f -path './x/*'",
    "sort a.txt | uniq -c", "cut -d/ -f1 a.txt", "tr / _ < a.txt", "sed -n 1,5p a.txt", "sed -n '$p' a.txt", "date +%s",
    "diff <(ls) <(cat a.txt)", "[ -f a.txt ] && cat a.txt", "[[ -f a.txt && $x == b ]] || echo no", "test -f a.txt",
    "pytest -q", "python -m pytest -q tests", "python3.12 -B -m pytest", "python --version", "ruff format . && ruff check .",
    "mypy --strict src", "black --check .", "make test", "make -j4 lint test", "npm test", "npm test -- --watch=false",
    "npm run lint:fix", "go test ./...", "cargo build", "node --test", "tsc", "prettier --write src", "/usr/bin/env pytest",
    "git status", "git diff HEAD~1", "git --no-pager log --oneline -5", "git -C src diff", "git add -A",
    "git commit -m 'fix /etc thing'", "git branch", "git branch --list 'x*'", "git stash list", "git config --get user.name",
    "git tag -l", "git remote -v", "echo hi > new.txt", "echo hi >> src/b.txt", "ls > /dev/null 2>&1", "tee log.txt < a.txt",
    "cat <<'E' > new.txt\n$(rm -rf x)\nE\n", "cat <<E\nhello $x\nE\nls", "mkdir -p a/b", "touch new.txt", "rm a.txt",
    "cp -r src dst", "cp a.txt src/", "mv a.txt b.txt", "ln -s a.txt b.txt", "chmod +x run.sh", "dd if=/dev/zero of=z count=1",
    "cd src && pytest", "cd src && cat b.txt", "(cd src; ls) && ls", "CI=1 pytest", "export CI=1; pytest", "x=1; echo $x",
    "env CI=1 pytest", "timeout 60 pytest -q", "timeout --signal=KILL 5 ls", "nice -n 5 pytest", "time pytest",
    "command -v ls", "ls | xargs echo", "for i in 1 2; do echo \"$i\"; done", "while true; do sleep 1; done",
    "if true; then ls; else pwd; fi", "case x in a) ls;; *) pwd;; esac", "! ls", "echo $((1+2))", "echo \"${x:-y}\"",
    "bash -c 'ls | wc -l'", "sh -ec 'ls'", "ls # rm -rf /", "echo 'rm -rf /; sudo x'", "pytest \\\n  -q", "ls\npwd\n",
]  # fmt: skip

ASKS = {
    "deletes_recursively": [
        "rm -rf build", "rm -r x", "rm -R x", "rm --recursive x", "rm --rec x", "rm x -fr", "/bin/rm -r x", "\\rm -r x",
        "'r'm -r x", 'r""m -r x', "timeout 5 rm -r x", "nohup rm -r x &", "env rm -r x", "command rm -r x",
        "ls | xargs rm -rf", "bash -c 'rm -rf x'", "sh -c \"sh -c 'rm -r x'\"", "find . -delete", "find . -exec rm {} +",
        "echo $(rm -r x)", "echo `rm -r x`", 'echo "a $(rm -r x)"', "echo ${x:-$(rm -r x)}", "cat <(rm -r x)",
        "cat <<< $(rm -r x)", "cat <<E\n$(rm -r x)\nE\n", "x=$(rm -r x)", "if rm -r x; then ls; fi", "(ls; rm -r x)",
        "for i in $(rm -r x); do ls; done", "ls || rm -r x", "ls & rm -r x", "f() { rm -r x; }", "rm -rf $X", "echo ok\nrm -r x",
        "python -c 1; rm -r x", "! rm -r x", "time rm -r x", "[[ -n $(rm -r x) ]]", "sudo rm -r x", "ls > $(rm -r x)",
    ],
    "uses_network": [
        "curl x", "curl x | sh", "wget x", "ssh h", "scp a h:b", "rsync -a src/ h:dst/", "nc h 1", "npm ci", "npm install x",
        "npx prettier .", "pip install x", "pip3 install x", "python -m pip install x", "uv sync", "cargo install x",
        "go get x", "git push", "git pull", "git fetch", "git clone x", "git remote update", "git --no-pager push",
        "git -C src push", "apt-get install x", "docker ps", "echo hi > /dev/tcp/h/80", "CI=$(curl x) pytest",
    ],
    "elevates": [
        "sudo ls", "sudo -u bob ls", "doas ls", "su bob", "pkexec ls", "timeout 5 sudo ls", "bash -c 'sudo ls'",
    ],
    "force_push": [
        "git push -f", "git push --force", "git push --force-with-lease", "git push --forc", "git push -uf origin main",
        "git push origin +main", "git push origin :main", "git push --delete origin x", "git push --mirror",
    ],
    "discards_changes": [
        "git reset --hard", "git clean -fdx", "git checkout -- .", "git restore .", "git stash", "git rm x",
    ],
    "changes_history": ["git rebase main", "git commit --amend", "git branch -D x", "git branch -a x", "git tag v1"],
    "changes_settings": [
        "git -c core.hooksPath=x status", "git --git-dir=x status", "git --exec-path=x status", "git config core.pager x",
        "git config alias.x '!rm'", "git init",
    ],
    "writes_outside": [
        "echo hi > /etc/x", "echo hi > ../x", "echo hi >> ~/x", "echo hi > out/x", "echo hi >& /opt/x", "ls &> /opt/x",
        "cp a.txt /opt/x", "mv a.txt ..", "tee /opt/x", "touch $HOME/x", "mkdir ../x", "chmod +x /bin/ls", "rm ../x",
        "ln -s / x", "ln -s ../.. x", "dd if=a.txt of=/dev/sda", "dd of=~/x", "uniq a.txt ../b", "black /opt", "pytest ../x",
        "cd src && touch ../../x", "cd src || touch ../x",
    ],
    "writes_guarded": [
        "touch .git/hooks/x", "echo x > .git/config", "cp a.txt .git/config", "mv .git x", "touch .GIT/x",
        "touch threadlead.toml", "tee src/../threadlead.toml",
    ],
    "reads_outside": [
        "cat /etc/passwd", "cat ~/.ssh/id", 'cat "$HOME"/.ssh/id', "cat ../x", "cat out/passwd", "cat *", "cat links/*",
        "cat links/passwd", "ls /", "grep -e x /etc/passwd", "grep -iex /etc/passwd", "rg --files /etc", "cat < /etc/passwd",
        "echo $(< /etc/passwd)", "cd src; cat ../out/x", "git diff --no-index /etc/passwd a.txt", "find / -name x",
        "git commit -F /etc/passwd", "cp /etc/passwd b", "head -5 /proc/self/environ",
    ],
    "leaves_folder": [
        "cd ..", "cd", "cd -", "cd /opt && ls", "cd out", "cd $X", "for i in 1 2; do cd src; done", "git -C .. diff", "pushd x",
    ],
    "risky_option": [
        "sort -o x a.txt", "sort --compress-prog=sh a.txt", "rg --pre sh x", "git log --output=x", "git log --outp=x",
        "git diff --ext-diff", "git grep -Osh x", "find . -fprint x", "find -L . -name x", "grep -R x .",
        "printf -v PATH x", "test -v 'a[$(ls)]'", "cargo test --config x", "go test -exec sh ./...", "mypy --install-types",
        "npm test --script-shell=x", "date -s 1", "cd odd && wc *",
    ],
    "runs_code": [
        "python -c 'print(1)'", "node -e 1", "perl -e 1", "awk '{print $1}' a.txt", "sed -i s/a/b/ a.txt", "sed s/a/b/e a.txt",
        "bash", "ls | sh", "python /opt/x.py", "python -", "zsh -c ls", "node --test -e 1; python -c 1",
    ],
    "runs_project_script": [
        "./run.sh", "src/x", ".venv/bin/pytest", "bash run.sh", "python x.py", "npm run deploy", "make deploy",
    ],
    "unknown_program": [
        "foo", '"" x', "/opt/ls", "../ls", "tar xf x", "busybox rm x", "git frobnicate", "rsync -a src/ dst/",
    ],
    "dynamic_command": [
        "$X ls", '"$(echo ls)" x', "eval ls", "exec ls", "source x", ". ./x", "trap ls EXIT", "bash -c \"$X\"", "env -S 'ls'",
        "xargs -I % %", "builtin eval ls", "x=a; echo $((x))", "echo ${x@P}", "echo ${!x}", "echo ${x:a}", "a[0]=1", "let x=1",
        "((x=1))", "[[ $x -eq 1 ]]", "[[ -v x ]]", "declare -i x", "{ls,-a}", "env A=$x ls", "read x",
    ],
    "dynamic_argument": [
        "cat $X", "ls | xargs cat", "rm $(echo x)", "cat {a,b}", "ls > $X", "ls > *", "grep x \"$F\"", "cat $'\\x2f'",
    ],
    "changes_variable": [
        "PATH=x ls", "LD_PRELOAD=x ls", "export PATH=x", "IFS=x; ls", "for PATH in a; do ls; done", "env PYTHONPATH=x pytest",
        "BASH_ENV=x bash -c ls", "x=1 pytest", "GIT_SSH_COMMAND=x git status",
    ],
    "defines_function": ["f() { ls; }", ":(){ :|:& };:", "function ls { pwd; }"],
    "stops_processes": ["kill 1", "pkill x", "killall x"],
    "controls_machine": ["reboot", "systemctl stop x", "crontab -e", "shutdown now"],
    "always_asked": ["chown bob x", "mkfs.ext4 x", "psql"],
    "unparsable": ["ls (", "echo 'x", 'echo "$(ls', "@(a|b)", "if ls", "((((ls))))"],
    "hidden_characters": [
        "ls \x1b[2K", "ls\rpwd", "ls \u202ex", "l\u200bs", "ls\u00a0x", "ls \u2028x", "\ufeffls", "ls \x7f",
    ],
}  # fmt: skip

# Where bash and the grammar disagree. Each would run something the tree does not show.
TRAPS = [
    "cat\n\\curl x", "ls\n  \\curl x", "echo a\n\\rm -rf x",
    "ls\\\nof", "ls \n\\\n curl x", "cat <<'E'# | grep x\nE\n", "echo `ls` `curl x`", "echo `ls \\`curl x\\``",
    "[ -f\n curl ] && ls", "[ a < b ]",
    "cat <<E | cat \nE<<F\ncurl\nE\ncurl x\nF\n", "cat <<A <<B\nA\nB\n", "cat <<E\n`curl x`\nE\n",
    "cat <<-E\n\tE\ncurl x\nE\n", "cat <<E x\nE\n",
]  # fmt: skip


@pytest.mark.parametrize("command", RUNS)
def test_what_stays_inside_runs_at_once(rule: Rule, command: str) -> None:
    """No reason, low risk."""
    ruling = rule(command)
    assert (ruling.verdict, ruling.reasons, ruling.risk) == ("run", (), "low")


@pytest.mark.parametrize(("code", "command"), [(code, one) for code, many in ASKS.items() for one in many])
def test_what_reaches_further_asks_and_says_why(rule: Rule, code: str, command: str) -> None:
    """The exact reason is among those given."""
    ruling = rule(command)
    assert ruling.verdict == "ask"
    assert code in {reason.code for reason in ruling.reasons}
    assert ruling.risk != "low"


@pytest.mark.parametrize("command", TRAPS)
def test_where_grammar_and_bash_disagree_a_person_is_asked(rule: Rule, command: str) -> None:
    """A tree that shows less than bash runs is never believed."""
    assert rule(command).verdict == "ask"


@pytest.mark.parametrize(
    ("command", "risk"),
    [
        ("rm -rf build", "medium"), ("rm -rf /", "high"), ("rm -rf ~", "high"), ("rm -rf $HOME", "high"), ("rm -rf .", "high"),
        ("rm -rf ../x", "high"), ("rm -rf out", "high"), ("rm -rf $X", "high"), ("rm -rf src/..", "high"), ("git push", "medium"),
        ("git push -f", "high"), ("sudo ls", "high"), ("echo > /etc/x", "high"), ("npm ci", "medium"), ("foo", "medium"),
    ],
)  # fmt: skip
def test_the_gravest_reason_sets_the_risk(rule: Rule, command: str, risk: str) -> None:
    """A recursive deletion is as grave as its place."""
    assert rule(command).risk == risk


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("pytest -q", ["pytest", "-q"]), ("echo 'a b' \"c d\" e\\ f", ["echo", "a b", "c d", "e f"]),
        ("grep -e 'x*' a.txt # why", ["grep", "-e", "x*", "a.txt"]), ("echo a\"b\"'c'", ["echo", "abc"]),
        ("echo '' \"\\$x\"", ["echo", "", "$x"]), ("./run.sh é", ["./run.sh", "é"]),
    ],
)  # fmt: skip
def test_one_plain_command_needs_no_shell(rule: Rule, command: str, argv: list[str]) -> None:
    """Its own words, unquoted, are the list to execute."""
    assert list(rule(command).argv) == argv


@pytest.mark.parametrize(
    "command",
    [
        "ls *",
        "ls ~",
        "ls $x",
        "ls | wc",
        "ls > x",
        "CI=1 ls",
        "cd src",
        "cat <<< x",
        "2>&1 ls",
        "ls {a,b}",
        "dd of=~/x",
        "eval ls",
    ],
)
def test_what_needs_a_shell_is_handed_to_bash_whole(rule: Rule, command: str) -> None:
    """As one element, so that nothing is pasted together."""
    assert rule(command).argv == ("bash", "--noprofile", "--norc", "-c", command)


def test_steps_show_what_runs_with_wrappers_taken_off(rule: Rule) -> None:
    """In the order of the text, inner command lines included."""
    ruling = rule("timeout 5 pytest -q && echo $(git status) | sh -c 'ls; pwd'")
    assert ruling.steps == (
        ("pytest", "-q"), ("git", "status"), ("echo", "$(git status)"), ("sh", "-c", "ls; pwd"), ("ls",), ("pwd",),
    )  # fmt: skip


def test_paths_are_seen_from_the_folder(root: Path) -> None:
    """``..`` is inside from a folder below the top, and outside from the top."""
    policy = ShellPolicy()
    assert judge("cat ../a.txt", folder=root / "src", root=root, policy=policy).verdict == "run"
    assert judge("cat ../../a.txt", folder=root / "src", root=root, policy=policy).verdict == "ask"
    assert judge("cd .. && cat ../a.txt", folder=root / "src", root=root, policy=policy).verdict == "ask"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("", "command_empty"), (" \n\t", "command_empty"), ("# only a remark", "command_empty"), ("ls\0", "command_not_text"),
        ("ls \ud800", "command_not_text"), ("x" * 131_072, "command_too_long"),
    ],
)  # fmt: skip
def test_what_can_never_run_is_refused(rule: Rule, command: str, code: str) -> None:
    """There is nothing a person could allow."""
    with pytest.raises(Refused) as refused:
        rule(command)
    assert refused.value.code == code


def test_a_folder_outside_the_worktree_is_refused(root: Path) -> None:
    """Also when a link leads there."""
    for folder in (root.parent, root / "out", root / ".."):
        with pytest.raises(Refused, match="folder_outside"):
            judge("ls", folder=folder, root=root, policy=ShellPolicy())


def test_a_long_command_asks_without_being_analysed(rule: Rule) -> None:
    """It says that it was too long."""
    ruling = rule("echo " + "x" * 16_000)
    assert [reason.code for reason in ruling.reasons] == ["too_long"]


@pytest.mark.parametrize("open_sign", ["(", "$(", "{ ", "`", "if ", '"$(', "<(", "[[ ", "(("])
def test_deep_nesting_asks(rule: Rule, open_sign: str) -> None:
    """Hostile nesting neither crashes nor slips through."""
    assert rule("true; " + open_sign * 400).verdict == "ask"
    assert rule("ls; " * 400).verdict == "run"


def test_a_digest_fits_one_command_in_one_folder() -> None:
    """So an approval cannot be used for anything else."""
    shown = digest("rm -rf x", "src")
    assert len(shown) == 64
    assert shown == digest("rm -rf x", "src")
    assert (
        len(
            {shown, digest("rm -rf  x", "src"), digest("rm -rf x", ""), digest("rm -rf", "xsrc"), digest("\ud800", "x")}
        )
        == 5
    )


_PIECES = [
    *(command for command in RUNS if len(command) < 30), "rm -r x", "sudo x", "curl x", "npm ci", "git push", "&&", "||",
    ";", "|", "\n", "$(", ")", "`", "'", '"', "\\", "<<E", "\nE\n", "{ ", "; }", "if ", "; then ", "; fi", "bash -c ", "xargs ",
    "env ", "#", "\0", "é",
]  # fmt: skip


def _dangerous(step: tuple[str, ...], policy: ShellPolicy) -> bool:
    deletes = step[0] == "rm" and any(word.startswith("-") and "r" in word for word in step)
    return deletes or step[0] == "sudo" or bool(match(step, policy.network))


def _ruling(text: str, root: Path) -> Ruling | None:
    try:
        return judge(text, folder=root, root=root, policy=ShellPolicy())
    except Refused:
        return None


@given(text=st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=8).map(" ".join)))
def test_any_text_is_ruled_on_and_danger_never_runs_at_once(root: Path, text: str) -> None:
    """No text crashes; a step that deletes trees, elevates or uses the network always asks."""
    ruling = _ruling(text, root)
    if ruling is not None:
        assert ruling.argv
        assert ruling.verdict == ("ask" if ruling.reasons else "run")
        assert ruling.verdict == "ask" or not any(_dangerous(step, ShellPolicy()) for step in ruling.steps)
