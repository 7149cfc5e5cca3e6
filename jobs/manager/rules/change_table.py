"""How people ask for a change of the plan, as a table of patterns; the first that fits a whole clause is tried first.

A row is (pattern, change, how surely the words alone mean it, whether such words are about plans only). ``x`` and ``y``
capture what the change is about. Rows that sound alike stand in the order that tells them apart: what must stay, what comes
later, what is not wanted any more, what goes on, what comes first.
"""

from __future__ import annotations

from typing import Literal

from jobs.manager.rules.lexicon import rx

ChangeKind = Literal["cancel", "pause", "resume", "first", "keep"]
DESTRUCTIVE = frozenset({"cancel", "pause"})

_NOT = r"(?:don't|do not|dont|never|no need to|not)"
_WE = r"(?:(?:i|we|you|they)\s+)?(?:really\s+|actually\s+|probably\s+|just\s+)*"
_STOPPING = (
    r"(?:cancel|pause|stop|drop|skip|remove|delete|forget|abort|abandon|kill|touch|lose|park|hold"
    r"|postpone|discard|scrap)"
)
_DOING = r"(?:do|run|write|start|begin|bother with|bother|work on|make|build|finish|continue|continue with|go on with)"
_LATER = r"(?:for now|for later|until later|till later|for the moment|for today|right now|yet|at the moment)"
_AFTER_ALL = r"(?:\s+(?:any ?more|now|after all|at all|anyway|please|too|either))*"
_DROPS = r"(?:cancel|abort|scrap|forget about|forget|abandon|ditch|never ?mind(?: about)?|call off|cancel out)"
_PUTS_OFF = (
    r"(?:pause|hold off on|hold off with|hold|park|postpone|defer|suspend|put off|shelve|freeze|wait with|delay)"
)
_GOES_ON = (
    r"(?:resume|continue with|continue|go on with|carry on with|unpause|pick up|proceed with|keep going"
    r" with|get back to|go back to|un-pause)"
)

_TABLE: tuple[tuple[str, ChangeKind, float, bool], ...] = (
    # what must stay comes before what sounds like it
    (rf"{_WE}{_NOT}\s+(?:ever\s+)?{_STOPPING}\b\s*(?P<x>.*)", "keep", 1.0, True),
    (rf"{_WE}(?:still\s+)?(?:want|need) to keep (?P<x>.+)|keep (?P<y>.+)", "keep", 1.0, True),
    (r"(?:i|we)\s+(?:do\s+)?still (?:want|need) (?P<x>.+)", "keep", 1.0, True),
    (r"(?:千万)?(?:别|不要|请勿|不用|先别)(?:把)?(?:取消|暂停|停止|停掉|停|删除|删掉|删|跳过|丢掉"
     r"|动)(?P<x>.*)", "keep", 1.0, True),
    (r"(?:千万)?(?:别|不要|请勿)把(?P<x>.+?)(?:取消|暂停|停|删|跳过).*", "keep", 1.0, True),
    (r"(?:保留|留着)(?P<x>.+)|(?P<y>.+?)(?:还是要的?|要保留|还要的)", "keep", 1.0, True),
    # later
    (rf"{_WE}{_NOT}\s+{_DOING}\s+(?:on\s+)?(?P<x>.+?)\s+{_LATER}", "pause", 0.9, False),
    (rf"{_WE}(?:don't|do not|dont)\s+need\s+(?P<x>.+?)\s+{_LATER}", "pause", 0.85, False),
    (rf"leave\s+(?P<x>.+?)\s+(?:alone\s+|be\s+|as it is\s+|aside\s+)?{_LATER}|leave\s+(?P<y>.+?)\s+(?:for"
     rf" later|aside)", "pause", 0.95, False),
    (rf"{_PUTS_OFF}\s+(?P<x>.+?)(?:\s+{_LATER})?{_AFTER_ALL}", "pause", 0.95, True),
    (r"put\s+(?P<x>.+?)\s+(?:on hold|on ice|aside|off|on the back burner)(?: for now)?", "pause", 0.95, True),
    (rf"stop\s+(?:working on\s+)(?P<x>.+?)(?:\s+{_LATER})?|stop\s+(?P<y>.+?)\s+{_LATER}", "pause", 0.9, False),
    (r"(?P<x>.+?)\s+(?:can|should|must|has to|will have to)\s+wait(?: for now| a bit)?", "pause", 0.9, False),
    (r"not\s+(?P<x>.+?)\s+(?:yet|now|for now)|do\s+(?P<y>.+?)\s+later", "pause", 0.85, False),
    (r"leave\s+(?P<x>(?!(?:out|a|an)\b).+?)(?:\s+(?:alone|be))?", "pause", 0.8, False),
    (r"stop\s+(?P<x>(?!.*\bfrom\b).+)", "pause", 0.7, False),
    (r"(?:暂停|搁置|推迟|缓一缓|先停(?:一下|掉)?|先放下|先搁置|先不管|先不要管)(?:一下"
     r"|掉)?(?P<x>.+)", "pause", 0.95, True),
    (r"先(?:别|不要|不用|不|别再)(?:去)?(?:做|管|弄|跑|写|搞|修|动|继续|碰)?(?P<x>.+?)了?", "pause", 0.9, False),
    (r"(?:把)?(?P<x>.+?)(?:先|暂时)?(?:停一下|停一停|暂停(?:一下)?|放一放|放一下|放着|搁一搁|缓一缓|等等再说"
     r"|以后再说|以后再做|先不管|先不做|晚点再做)(?:吧)?", "pause", 0.9, False),
    (r"(?:把)?(?P<x>.+?)(?:先|暂时)(?:别|不|不要|不用)(?:再)?(?:去)?(?:做|管|弄|写|跑"
     r"|动|搞|碰)了?", "pause", 0.9, False),
    (r"(?P<x>.+?)\s+later(?: please)?", "pause", 0.8, False),
    # no more
    (rf"{_WE}(?:don't|do not|dont|no longer|won't)\s+(?:really\s+|actually\s+|even\s+)?(?:need"
     rf"|want)\s+(?:to\s+(?:do\s+)?)?(?P<x>.+?){_AFTER_ALL}", "cancel", 0.95, False),
    (rf"(?:there's |there is )?no (?:more )?need (?:for|to {_DOING}"
     rf"|to)\s+(?P<x>.+?){_AFTER_ALL}", "cancel", 0.95, True),
    (rf"(?P<x>.+?)\s+(?:is|are)\s*(?:no longer|not|n't)\s+(?:needed|necessary|required"
     rf"|wanted){_AFTER_ALL}", "cancel", 0.95, False),
    (rf"(?P<x>.+?)\s+(?:isn't|aren't)\s+(?:needed|necessary|required|wanted){_AFTER_ALL}", "cancel", 0.95, False),
    (r"(?P<x>.+?)\s+can (?:be (?:dropped|cancelled|canceled|skipped|left out)|go)", "cancel", 0.85, False),
    (rf"{_DROPS}\s+(?P<x>.+?){_AFTER_ALL}", "cancel", 0.95, True),
    (rf"(?:skip|leave out)\s+(?P<x>.+?){_AFTER_ALL}", "cancel", 0.9, False),
    (rf"drop\s+(?P<x>.+?){_AFTER_ALL}", "cancel", 0.85, False),
    (r"(?:remove|delete|kill|discard|get rid of|throw (?:away|out)|take out)\s+(?P<x>.+)|throw (?P<y>.+?)"
     r" (?:away|out)", "cancel", 0.6, False),
    (rf"{_WE}(?:don't|do not|dont)\s+{_DOING}\s+(?P<x>.+?){_AFTER_ALL}", "cancel", 0.8, False),
    (r"no (?:more )?(?P<x>.+?),? (?:please|thanks|any ?more)", "cancel", 0.8, False),
    (r"(?:取消|放弃|砍掉|撤销|不做|跳过)(?:掉)?(?P<x>.+?)(?:吧|了)?", "cancel", 0.95, True),
    (r"(?:把)?(?P<x>.+?)(?:取消|砍|撤)(?:掉|了|吧)*", "cancel", 0.95, True),
    (r"(?:我们)?(?:不要|不需要|不再需要|不用|用不着|别)(?:再)?(?:做|写|跑|管|弄|搞"
     r"|修)?(?P<x>.+?)了?", "cancel", 0.9, False),
    (r"(?:把)?(?P<x>.+?)(?:就)?(?:不要了|不用了|不需要了?|不用做了?|不用写了?|不用跑了?|不用管了?|不必了|免了"
     r"|算了|不做了|不写了)", "cancel", 0.95, True),
    (r"(?:删掉|删除|去掉|移除)(?P<x>.+)", "cancel", 0.6, False),
    # on again
    (rf"{_GOES_ON}\s+(?P<x>.+?)(?:\s+(?:again|now|please))*", "resume", 0.95, False),
    (r"(?:继续|恢复|接着)(?:做|跑|写|弄|搞|进行)?(?P<x>.+)|(?P<y>.+?)(?:可以)?(?:继续"
     r"|恢复)(?:吧|做|了)?", "resume", 0.95, False),
    # before others
    (r"(?:go|begin|start|continue)\s+with\s+(?P<x>.+?)(?:\s+(?:first|now))*", "first", 0.9, False),
    (r"(?P<x>.+?),?\s+first(?: of all| please)?", "first", 0.95, False),
    (r"first(?:ly)?,?\s+(?P<x>.+)", "first", 0.9, False),
    (r"(?P<x>.+?)\s+before\s+.+", "first", 0.85, False),
    (r"(?:prioriti[sz]e|do)\s+(?P<x>.+?)\s*(?:now|next|right away|immediately)?", "first", 0.9, False),
    (r"start\s+(?:with\s+)?(?P<x>.+?)(?:\s+(?:now|right away|immediately))?", "first", 0.85, False),
    (r"(?P<x>.+?)\s+(?:is|are)\s+(?:(?:now|much)\s+)?(?:more (?:important|urgent)|(?:the )?(?:top )?priority"
     r"|urgent)(?: now)?(?: than .+)?", "first", 0.9, False),
    (r"(?:优先|先|首先)(?:做|处理|修|修复|搞|弄|写|跑|把)?(?P<x>.+?)(?:做了|做完|修好|吧)?|(?P<y>.+?)(?:优先"
     r"|更重要|更紧急|提前)", "first", 0.9, False),
)  # fmt: skip
TABLE = tuple((rx(pattern), kind, base, firm) for pattern, kind, base, firm in _TABLE)
CONDITION = rx(
    r"^(?:if|unless|in case|when|once)\b[^,]*,\s*(?:then\s+)?|^(?:如果|要是|假如"
    r"|万一)[^，,]*[，,]\s*(?:那)?(?:就)?"
)
INSTEAD = rx(r"(?P<new>.+?)\s+instead of\s+(?P<old>.+)|(?P<new2>.+?)\s+rather than\s+(?P<old2>.+)")
LEAD = rx(
    rf"{_WE}(?:don't|do not|dont|never|no longer|won't|still|need|want)\b|(?:{_DROPS}|{_PUTS_OFF}|{_GOES_ON}"
    rf"|skip|leave|drop|keep|put"
    r"|no need|prioriti[sz]e|not|no)\b|(?:start|do|go|begin|cancel|stop|remove|delete|kill)\s+(?:with\s+|on\s+)*(?:the\b|t\d)"
    r"|(?:the |t\d+\b)[\w -]{0,60}? (?:can|should|is|are|isn't|aren't)\b"
    r"|(?:先|别|不要|不用|不需要|取消|暂停|继续|恢复|保留|放弃|优先|跳过|把|我们|用不着)|.{1,20}(?:不要了"
    r"|不用了|算了|先放|先别|先不|不需要了|不做了|不写了|停一下|取消|继续|优先|免了)"
)
