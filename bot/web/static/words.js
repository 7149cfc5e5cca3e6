// Every sentence of the page itself, in English and Chinese. Words of cards and refusals come from the server.

const WORDS = {
  skip: ["Skip to the message box", "跳到消息框"],
  panels: ["Panels", "面板"],
  sessions: ["Sessions", "会话"],
  talk: ["Conversation", "对话"],
  work: ["Work", "任务"],
  views: ["Views", "视图"],
  messages: ["Messages", "消息"],
  begin: ["New", "新建"],
  begin_long: ["Begin a new session", "新建会话"],
  workers: ["Workers", "执行机"],
  no_workers: ["None. Start one: `threadlead worker`", "没有。启动一个：`threadlead worker`"],
  worker_lost: ["not heard of", "失联"],
  busy_of: ["{busy} of {slots} busy", "{busy}/{slots} 忙碌"],
  board: ["Board", "看板"],
  graph: ["Graph", "图"],
  box: ["Message", "消息"],
  box_hint: ["Say what should be done…", "说说要做什么…"],
  send: ["Send", "发送"],
  keys: ["Enter sends · Shift+Enter for a new line · / to write", "Enter 发送 · Shift+Enter 换行 · / 开始输入"],
  newer: ["Newer ↓", "最新 ↓"],
  untitled: ["New session", "新会话"],
  unreadable: ["cannot be read: {code}", "无法读取：{code}"],
  waits_for_you: ["waits for you: {names}", "等待你：{names}"],
  running: ["{n} running", "{n} 个进行中"],
  no_sessions: ["No sessions yet.", "还没有会话。"],
  earlier: ["{n} earlier messages are not shown", "更早的 {n} 条未显示"],
  sending: ["sending", "发送中"],
  received: ["received", "已收到"],
  waiting: ["waits for the repository", "等待代码库"],
  working: ["working on it", "处理中"],
  done: ["done", "完成"],
  failed: ["not sent", "未发送"],
  again: ["Try again", "重试"],
  edited: ["edited", "已更新"],
  you: ["you", "你"],
  start_title: ["Which repository shall we work on?", "在哪个代码库上工作？"],
  start_why: [
    "A folder on the machine that runs Threadlead. Work happens on a branch of its own; your checkout is not touched until you merge.",
    "运行 Threadlead 的机器上的目录。工作在独立分支上进行；合并之前不会动你的检出目录。",
  ],
  path: ["Path of a local git repository", "本地 git 代码库的路径"],
  path_hint: ["/home/you/src/shop", "/home/you/src/shop"],
  use: ["Use it", "使用"],
  known: ["Known here:", "已知："],
  say_title: ["Then say what should be done, for example:", "然后说要做什么，例如："],
  say_now: ["Say what should be done, for example:", "说说要做什么，例如："],
  example1: ["run the tests, then format with ruff and run them again", "先跑测试，然后用 ruff 格式化，再跑一遍测试"],
  example2: ["run `git log --oneline -n 5` and `git status`", "运行 `git log --oneline -n 5` 和 `git status`"],
  example3: ["status", "状态"],
  only_commands: [
    "I can only run commands here. To add an agent: `threadlead agents`",
    "这里只能运行命令。添加智能体：`threadlead agents`",
  ],
  checking: ["Looking at {path} …", "正在检查 {path} …"],
  change_repo: ["Change repository", "更换代码库"],
  cancel: ["Cancel", "取消"],
  close: ["Close", "关闭"],
  save: ["Save", "保存"],
  edit_title: ["Edit {plan}", "编辑 {plan}"],
  edit_why: ["Untick what should not happen. What is left can be worded anew.", "取消勾选不要做的。其余可以改写。"],
  keep: ["Keep: {words}", "保留：{words}"],
  content_of: ["Content of {words}", "{words} 的内容"],
  optional: ["optional", "可选"],
  output: ["Output of {task}", "{task} 的输出"],
  live_output: ["Output", "输出"],
  download: ["Download", "下载"],
  more_lines: ["{n} more lines; download to see all", "还有 {n} 行；下载查看全部"],
  nothing_here: ["Nothing was written.", "没有内容。"],
  no_tasks: ["No tasks yet. They appear here when a plan is applied.", "还没有任务。应用计划后会出现在这里。"],
  more_tasks: ["{n} older not shown", "另有 {n} 个较早的未显示"],
  try_now: ["Try now", "立即尝试"],
  asked_again: ["Asked again.", "已再次尝试。"],
  round: ["round {n}", "第 {n} 轮"],
  criteria: ["Done when", "完成标准"],
  flow: ["Flow", "流程"],
  flow_active: ["active", "进行中"],
  flow_ended: ["ended", "已结束"],
  flow_merged: ["merged", "已合并"],
  after: ["after {names}", "在 {names} 之后"],
  reconnecting: ["Reconnecting …", "正在重新连接 …"],
  unreachable: ["Threadlead does not answer. Trying again …", "Threadlead 没有响应，正在重试 …"],
  not_ready: ["The log cannot be reached ({code}). Trying again …", "日志暂时无法访问（{code}），正在重试 …"],
  signed_out: ["Signed out. Open the link that `threadlead up` printed.", "已登出。请打开 `threadlead up` 打印的链接。"],
  gone: ["There is no such session.", "没有这个会话。"],
  said_new: ["New: {title}", "新消息：{title}"],
  went_wrong: ["That did not work ({code}).", "操作未成功（{code}）。"],
};

let column = 0;

export function choose(wanted) {
  const language = wanted && wanted !== "auto" ? wanted : navigator.language || "en";
  column = language.toLowerCase().startsWith("zh") ? 1 : 0;
  document.documentElement.lang = column ? "zh" : "en";
}

export const language = () => (column ? "zh" : "en");

export function t(key, params = {}) {
  return WORDS[key][column].replace(/\{(\w+)\}/g, (whole, name) => (name in params ? String(params[name]) : whole));
}

export function label(root = document) {
  for (const element of root.querySelectorAll("[data-say]")) element.textContent = t(element.dataset.say);
  for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
}
