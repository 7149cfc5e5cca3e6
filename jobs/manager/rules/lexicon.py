"""The words the rules know, as data.

Rule: a word is added here, never as a branch elsewhere. English and Chinese stand side by side, because people mix them
in one sentence. Patterns ignore case.
"""

from __future__ import annotations

import re


def rx(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# -- talk that asks for nothing -------------------------------------------------------------------------------------

GREETINGS = listed("hi hello hey hallo yo greetings morning 你好 您好 嗨 哈喽 大家好 早 早上好 下午好 晚上好 在吗")
CHAT = GREETINGS | listed(
    "good evening afternoon night thanks thank thx ty cheers you so much very a lot ok okay k kk cool nice"
    " great perfect"
    " awesome lovely super wow lol haha hehe yay sure fine done bye goodbye cu np welcome congrats congratulations lgtm"
    " sounds looks looking all right alright got it see noted understood well hmm hm um uh oh ah oops sorry"
    " there everyone"
    " team folks again for the help same here agreed exactly indeed true brb afk tomorrow later stop wait help"
    " 谢谢 多谢 谢了 感谢 好的 好 嗯 嗯嗯 收到 辛苦了 辛苦 哈哈 晚安 可以 行 没问题 知道了 了解 明白 明白了"
    " 不错 很好 太好了 再见 拜拜 哦 停"
    " 等等 等一下 帮助"
)
YES_OR_NO = listed(
    "yes y yep yeah yup no n nope nah ok okay sure approve approved reject rejected deny denied agree agreed go"
    " 好 好的 可以 行 是 是的 同意 批准 不 不行 不要 不可以 拒绝 否 不同意 对 嗯"
)
YES_OR_NO_PHRASES = listed(
    "approve-it reject-it approve-that approve-this go-ahead do-it yes-please no-thanks"
    " ok-go no-way yes-do-it of-course apply apply-it 应用"
)
# What a person says to a plan; a lone "ok" may be meant for a colleague.
PLAN_WORDS = listed(
    "yes yep yeah no nope apply apply-it go-ahead do-it yes-please yes-do-it 同意 不同意 是 是的 应用 不行"
)

FILLER = rx(
    r"^(?:(?:h+m+|u+m+|u+h+|well|ok|okay|so|oh|ah|actually|hey|hi|hello|please|pls|also|and|but|btw|plus"
    r"|additionally"
    r"|alright|then again|in addition|by the way|oh and|another thing|kindly|just|can you|could you|would you|will you"
    r"|can we please|i(?:'d| would) like you to|i want you to|i need you to|you should|let's|lets|let us|we can"
    r"|for now just|maybe|perhaps|i think|i guess|we should|we need to|you need to|we have to|we must|we could"
    r"|it should)"
    r"(?:[\s,:!.…-]+|$)"
    r"|(?:yes|no|yeah|wait|now|right|sure|great|good|thanks|thank you|nice|cool|fine)\s*[,!.:…-]+\s*"
    r"|(?:嗯+|哦|啊|那么|那就|那|好的|好|请你|请|麻烦你|麻烦|帮我|帮忙|另外|还有|还要|顺便|对了|我想|我们要"
    r"|我要|可能|也许|或许|要不)[,，、：:!！\s]*)"
)
ALSO = rx(
    r"^(?:oh,? )?(?:and |plus |but )?(?:also|additionally|in addition|plus|add(?= )|another thing|另外|还要"
    r"|还有|顺便|再加|加上|加一个)"
)
HEDGED = rx(r"\b(?:maybe|perhaps|might|possibly|probably|i guess|i think|not sure)\b|可能|也许|或许|大概|要不")
CONDITIONAL = rx(r"^(?:if|unless|in case|should)\b|\b(?:if|unless|in case)\b|如果|要是|假如|万一|除非")

# -- questions ------------------------------------------------------------------------------------------------------

REQUEST = rx(r"^(?:can|could|would|will) you\b|^(?:请|麻烦)|能不能帮|可以帮|帮我")
QUESTION = rx(
    r"^(?:what|what's|whats|why|how|how's|when's|who|who's|which|where|where's)\b(?! (?:we|i) (?:need|want) is)"
    r"|^(?:is|are|was|were|does|did|has|isn't|aren't|doesn't|didn't|hasn't|am|should|shall|may)\b"
    r"|^(?:do|have|don't) (?:we|i|you|they)\b|^(?:can|could|would|will|won't|can't) (?:we|i|you|they|it|the"
    r"|that|this|there|t\d+)\b"
    r"|(?:吗|呢|么)$|为什么|怎么样|是不是|是否|要不要|需不需要|有没有|能不能|可不可以|什么时候|多久|多少|进度"
    r"|到哪|怎么还|哪个|^谁|^什么"
)
STATUS = rx(
    r"\b(?:status|progress|how far|how(?:'s| is| are)(?: it| things| we| that)? (?:going|doing)|going on"
    r"|running|working on"
    r"|happening|done|finished|ready|eta|left|tasks?|plan|stuck|blocked|fail(?:s|ed|ing)?|broken|red|green"
    r"|tests?|build)\b"
    r"|进度|进展|到哪|怎么样|做完|完成|好了|状态|任务|计划|在做|在干|卡住|失败"
)
ABILITIES = rx(
    r"\b(?:what can you do|who are you|what are you|how (?:do|does) (?:this|you|i)|what is this|help)\b"
    r"|你能做什么|你会什么|你是谁|怎么用|帮助"
)

# -- how clauses hang together ----------------------------------------------------------------------------------------

BESIDE = rx(
    r",?\s*\b(?:(?:all )?at the same time(?: as| with)?|in parallel(?: with| to)?|side by side(?: with)?|meanwhile"
    r"|in the meantime|simultaneously|concurrently|beside (?:that|it|them|this))\b[,:]?\s*"
    r"|(?:与此同时|同时|并行地?)[，,:：]?\s*"
)
STRONG = (
    r"(?:[,;]\s*(?:and\s+)?|\s+and\s+)if (?:they|it|that|those|all)(?: all)? (?:pass(?:es)?|succeeds?|works?|is"
    r" green|are green),?"
    r"\s*(?:then\s+)?(?!\s|then\b|cancel|drop|pause|skip|stop|forget|leave|resume)|"
    r"[,;]?\s*(?:\b(?:and|but)\s+)?\b(?:then|after that|afterwards?|after which|followed by|once that is done"
    r"|when that is done)\b[,:]?\s*"
    r"|(?:^|[,;]\s*(?:and\s+)?|\band\s+)(?:finally|lastly|next|last|secondly|thirdly)\b[,:]?\s+"
    r"|[，,；]?\s*(?:然后|接着|随后|之后(?=[^，,]*(?:跑|运行|执行|用|再|做|修|写|格式|提交))|最后|完了|完成后"
    r"|跑完后?|做完后?)[，,：]?\s*再?"
    r"|(?:^|[，,、；]\s*)再(?!加|说|见|次|也)\s*|再(?=跑|运行|执行|用|格式|检查|构建|修|写|做|测)"
)
WEAK = (
    r"[,;]\s*(?:(?:and|but|plus|also)\s+)?(?:also\s+)?(?=\S)|\s+(?:and|but|plus|&)\s+(?:also\s+)?"
    r"|[，、；]\s*(?:并且|而且|以及|并|但是|但|不过|也|还要|另外)?|\s*(?:并且|以及|但是|并|和)\s*"
)
LEADING_FIRST = rx(r"^(?:first(?:ly)?|first of all|to begin with|to start with)[,:]?\s+|^先(?!别|不|放|停|暂)\s*")
TRAILING_FIRST = rx(r"[,]?\s+first$")
ONLY_LOOKS = rx(
    r"^(?:look (?:into|at)|find out|investigate|check (?:why|whether|how|if)|measure|examine|analy[sz]e|inspect|explain"
    r"|review|profile|compare|read|describe|summari[sz]e|research|list)\b(?!.*\band (?:fix|change|write|add"
    r"|make|remove))"
    r"|^(?:看看|查一下|查看|调查|检查|分析|测量|评估|比较|研究|说明|总结)(?!.*(?:修|改|写|加|删))"
)
CONDITION_LEAD = rx(r"^(?:if|when|whenever|once|unless|as soon as|after(?! that))\b|^(?:如果|要是|当)")
DONE_WHEN = rx(
    r"[,;:，。.]?\s*(?:\band\s+)?(?:\b(?:it(?:'s| is)|this is|that's|is|you are|you're|we are|we're)\s+)?"
    r"\b(?:done|finished|ready|complete|accepted) (?:when|once|if|as soon as)\b:?\s*(?P<x>.+)$"
    r"|[,，]?\s*(?:\b(?:repeat|loop|iterate|keep going|go on)\s+)?\buntil\b\s*(?P<y>.+)$"
    r"|[，,]?\s*(?:直到|做到)(?P<z>.+?)(?:为止)?$|[，,。]?\s*(?:完成标准|验收标准|完成条件)(?:是|为)?[:：]?(?P<w>.+)$"
)
CRITERION_LEAD = rx(
    r"\b(?:(?:done|finished|ready|complete|accepted) (?:when|once|if)|until)\b|直到|做到|完成标准|验收标准|完成条件"
)

# -- work --------------------------------------------------------------------------------------------------------------

VERBS = listed(
    "abort cancel do add adjust align allow analyse analyze apply audit automate avoid backport benchmark block"
    " bring build bump cache"
    " catch change check clean cleanup close collect combine commit compare compile complete configure connect convert"
    " copy correct cover create cut debug declare decouple define delete deploy deprecate describe design detect"
    " disable document draft drop dry edit eliminate enable encode enforce ensure escape evaluate exclude"
    " execute expand"
    " explain export expose extend extract figure fill filter find finish fix format generate get give group guard"
    " handle harden hide hook identify implement import improve include increase inline insert inspect"
    " install integrate"
    " introduce investigate isolate join keep lint limit link list load localise localize lock log lower make map"
    " measure merge migrate mock modernise modernize monitor move normalise normalize optimise optimize"
    " organise organize parse patch pin polish port post prepare prevent print profile prove provide publish pull push"
    " put raise read rebase rebuild record reduce refactor reformat regenerate release reload remove rename reorder"
    " reorganise repair repeat replace report reproduce request require rerun re-run research reset resolve restore"
    " restructure restyle return reuse revert review revise rewrite rework rollback rotate round run sanitise sanitize"
    " save scale scan search secure send separate set setup shorten show silence simplify skip sort speed split start"
    " stop store streamline strip style summarise summarize support swap switch sync tag test tidy tighten track"
    " translate trim try tune turn type-check typecheck undo unify unpin update upgrade upload use validate verify vet"
    " warn watch wire wrap write"
)
# Verbs that are as often nouns: after an "and" they begin a clause only with something like "the" behind them.
NOUN_LIKE = listed(
    "audit benchmark block build cache change check copy cover cut debug deploy design document draft export"
    " figure filter"
    " format group guard hook import limit link lint list load lock log map measure mock order patch pin port"
    " post print"
    " profile release report request research review search set sort speed split start stop store style support"
    " switch tag"
    " test trim type-check typecheck upgrade upload use watch wire wrap write-up update"
)
DETERMINERS = listed(
    "the a an all it everything this that these those them our my your its every each any both some with"
)
LIGHT_VERBS = listed(
    "do write make run work finish start fix add update implement get put create handle support improve change build"
    " begin go keep working doing writing making running fixing adding"
)
VERBS_ZH = (
    "跑|运行|执行|用|修|改|写|加|添加|增加|删|移除|去掉|更新|升级|重构|重写|重命名|把|给|让|优化|实现|检查"
    "|格式化|测试|构建|编译|提交|支持|处理|生成|"
    "创建|新建|拆|合并|替换|迁移|调整|清理|整理|补|完善|部署|发布|回滚|安装|配置|分析|调查|排查|找|看看|查|翻译"
    "|设计|确保|防止|避免|解决|重新|重跑|来|做|打包|"
    "记录|打印|禁用|启用|关闭|打开|提取|简化|统一|增强|验证|复现|文档化|写文档"
)
NOUN_LIKE_ZH = "测试|格式化|检查|构建|编译|部署|发布|配置|设计|记录|翻译|验证|分析|调查|支持"
STARTS_ZH = rx(rf"(?:先|再)?(?!(?:{NOUN_LIKE_ZH})(?!一下|代码|所有))(?:{VERBS_ZH})")
TASK_LEAD = rx(r"t\d+\b[:,]?\s+(?!and\b|or\b)\S")
WANTS = rx(
    r"^(?:i|we|you|it|the \w+|this|that|users?|there)\b.{0,40}\b(?:need|needs|want|wants|should|must|has to"
    r"|have to|ought to)\b"
    r"|^(?:no more|no longer)\b|^look into\b|需要|应该|必须|希望|想要"
)
AFTER = rx(
    r"(?:only\s+)?(?:after|once|when|as soon as)\s+(?P<x>[^,]+?)(?:\s+(?:is|are|has|have))?"
    r"(?:\s+(?:been\s+)?(?:done|finished|ready|merged|settled|accepted|through|completed?))?,\s*(?P<rest>.+)"
    r"|(?P<rest2>.+?),?\s+(?:only\s+)?(?:after|once|as soon as)\s+(?P<x2>[^,]+?)(?:\s+(?:is|are|has|have))?"
    r"(?:\s+(?:been\s+)?(?:done|finished|ready|merged|settled|accepted|through|completed?))?"
    r"|等?(?P<x3>.+?)(?:完成|做完|结束|好了)(?:之|以)?后[,，]?\s*再?(?P<rest3>.+)"
)
RUN_THIS = rx(
    r"(?:please\s+)?(?:run|execute|do)(?:\s+(?:this|these|the following|those|it))?(?:\s+(?:commands?|steps?"
    r"|script|in order))*\s*:?"
    r"|请?(?:跑|运行|执行)(?:一下|以下|下面|这些|这个|的)*(?:命令|脚本|步骤)?[:：]?"
)
PROBLEM = rx(
    r"\b(?:fails?|failing|failed|failure|errors?|exceptions?|broken|breaks?|bugs?|crash(?:es|ed|ing)?|wrong"
    r"|missing|slow|leaks?"
    r"|flaky|hangs?|timeouts?|times out|doesn't work|does not work|not working|regression|returns? \d{3}|\d{3}"
    r" error|stack ?trace"
    r"|deprecated|vulnerab\w+|typo)\b|失败|报错|错误|崩溃|坏了|缺少|太慢|有问题|不工作|不能用|漏洞|返回"
    r" ?\d{3}|异常|卡死"
)
FORBIDS = rx(r"(?:please )?(?:don't|do not|never)\b|(?:请)?(?:别|不要|请勿)")
THANKS = rx(
    r"[\s,，]*(?:(?:thanks|thank you|thx|please|pls|cheers|ok|okay|right)(?: a lot| so much)?|谢谢|多谢"
    r"|好吗)[\s!.]*$"
)
ADDS_TEST = rx(
    r"^(?:add|write|include) (?:a |some |the |an )?(?:\w+ )?(?:tests?|docs?)$|^(?:加|补|写)(?:一个|个|上|点|一下)?测试$"
)
ANAPHORA = rx(
    r"\b(?:it|its|them|that|this|these|those|there|one|ones|both)\b|它|这个|那个|这些|那些|其|^(?:修"
    r"|改|处理|优化|解决|看)(?:一下|下|了|吧)?$"
)

# -- names of things -----------------------------------------------------------------------------------------------

STOP_WORDS = listed(
    "a an the this that these those it its them they our my your his her their we i you he she me us of for to in on at"
    " by with from and or but not no so as is are was were be been being do does did doing done have has had will would"
    " can could should shall may might must still yet now just only also too very really please need needed needs want"
    " wanted any anymore more some all both task tasks thing things stuff part bit work job one ones what which who why"
    " how when where there here if then than first again later about after before into out up down off over what's"
    " necessary useful going being going worth useless because while since until every each"
)
STOP_ZH = (
    "任务|那个|这个|那些|这些|的|了|吧|呢|吗|啊|把|给|做|写|修|跑|一下|先|再|还|也|就|是|在|我们|我|你|需要|不"
    "|要|部分|工作|事情|事|相关|现在|暂时|"
    "那|这|和|跟|与|为什么|什么|怎么样|怎么|有|没有|进行|完成|为止|个"
)
SAME = {
    "documentation": "doc", "documents": "doc", "document": "doc", "docs": "doc", "readme": "doc", "spec": "test",
    "specs": "test", "suite": "test", "unittest": "test", "pytest": "test", "retries": "retry", "authentication": "auth",
    "formatter": "format", "linter": "lint", "db": "databas", "database": "databas", "config": "config",
    "configuration": "config", "signin": "login", "caching": "cach", "deployment": "deploy", "typing": "type",
}  # fmt: skip
SAME_ZH = {
    "缓存": "cach", "重试": "retry", "文档": "doc", "测试": "test", "登录": "login", "登陆": "login", "格式化": "format",
    "格式": "format", "构建": "build", "编译": "build", "部署": "deploy", "发布": "releas", "日志": "log",
    "数据库": "databas", "接口": "api", "页面": "page", "配置": "config", "依赖": "dependenc", "迁移": "migrat",
    "检查": "check", "类型": "type", "超时": "timeout", "邮件": "email", "搜索": "search", "支付": "payment",
    "用户": "user", "购物车": "cart", "权限": "permission", "索引": "index", "队列": "queu", "界面": "ui",
}  # fmt: skip
EVERYTHING = rx(
    r"^(?:(?:all|everything|all of (?:it|them|this)|all (?:the )?tasks|the whole (?:thing|plan)|the (?:whole"
    r" )?plan)|全部|所有(?:的)?任务|所有|一切)(?:任务)?$"
)
PRONOUN = rx(
    r"^(?:(?:it|that|this|them|those|that one|this one|that task|this task|the task)|它们?|这个|那个|这个任务"
    r"|那个任务)$"
)
