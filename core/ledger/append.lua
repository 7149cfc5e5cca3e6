-- append.lua: check everything, then write everything. Nothing is written when a check fails, and because the server
-- refuses a script's first write when it may not write at all (memory, disk, replica), nothing is half written.
--
-- KEYS[1] log:<session>    stream, read for the last seq and t, XADD <seq>-0
-- KEYS[2] sent:<token>     string, guard of a retried append (token: the id of its first event)
-- KEYS[3] seen:<dedupe>    string, used only when plan.dedupe
-- KEYS[4] fence:<session>  hash task -> current attempt number
-- KEYS[5] feed:session     stream, one entry per event
-- KEYS[6] feed:task        stream, one entry per task change
-- KEYS[7] due              zset timer -> due ms
-- KEYS[8] timers           hash timer -> JSON
-- KEYS[9] sessions         zset session -> ts
-- KEYS[10..]               slots, outboxes and control streams; the plan names them by position
--
-- ARGV[1] the plan, JSON: session, keep {feed, outbox, control lengths; seen, sent, control seconds}, and where there are any:
--         expected (number), dedupe (bool), fence {task, number}, events {{type, id, task}}, changes {{task, from, to}},
--         claims {{key, holder, limit}}, releases {{key, holder}}, surfaces {key}, timers {{name, due, json}},
--         cancel {name}, controls {{key, kind, body}}, fences {{task, number}}
-- ARGV[2..] one event each, JSON, stored as it came: nothing here decodes or re-encodes an event
--
-- Answers {'done', first seq, t} | {'sent' or 'seen', '<first>-<last> <session>'} | {'race', last seq}
--       | {'fenced', current number or ''} | {'full', position of the claim}

local LOG, SENT, SEEN, FENCE, FEED, TASKS, DUE, TIMERS, SESSIONS = unpack(KEYS, 1, 9)
local plan = cjson.decode(ARGV[1])
local keep = plan.keep
local count = #ARGV - 1

-- A list without members is not in the plan at all.
local NOTHING = {}
local function each(list)
  return ipairs(list or NOTHING)
end

-- Lua prints large numbers as 1.7e+12; a stream field must hold every digit.
local function digits(number)
  return string.format('%.0f', number)
end

local function field(entry, name)
  for i = 1, #entry, 2 do
    if entry[i] == name then return entry[i + 1] end
  end
end

-- Check: was it written before?
local sent = redis.call('GET', SENT)
if sent then return {'sent', sent} end
local seen = plan.dedupe and redis.call('GET', SEEN)
if seen then return {'seen', seen} end

-- Check: is the writer up to date, and still the task's current attempt?
local tail = redis.call('XREVRANGE', LOG, '+', '-', 'COUNT', 1)[1]
local last = tail and tonumber(string.match(tail[1], '^%d+')) or 0
if plan.expected and plan.expected ~= last then return {'race', digits(last)} end
if plan.fence then
  local current = redis.call('HGET', FENCE, plan.fence[1]) or ''
  if current ~= plan.fence[2] then return {'fenced', current} end
end

-- Check: is there room at every place, counting what this same append gives back?
local places = {}
local function place(at)
  places[at] = places[at] or {held = redis.call('SCARD', KEYS[at]), inside = {}}
  return places[at]
end
local function inside(at, holder)
  local known = place(at).inside
  if known[holder] == nil then known[holder] = redis.call('SISMEMBER', KEYS[at], holder) == 1 end
  return known[holder]
end
local function move(at, holder, step)
  place(at).held = place(at).held + step
  place(at).inside[holder] = step > 0
end
for _, release in each(plan.releases) do
  if inside(release[1], release[2]) then move(release[1], release[2], -1) end
end
for i, claim in each(plan.claims) do
  if not inside(claim[1], claim[2]) then
    if place(claim[1]).held >= claim[3] then return {'full', digits(i)} end
    move(claim[1], claim[2], 1)
  end
end

-- Write. The clock may step back between two appends or two servers; t never does.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ts = digits(math.max(now, tail and tonumber(field(tail[2], 't')) or 0))
local first, final = last + 1, last + count
for i = 1, count do
  redis.call('XADD', LOG, digits(last + i) .. '-0', 'e', ARGV[i + 1], 't', ts)
end
local range = digits(first) .. '-' .. digits(final) .. ' ' .. plan.session
redis.call('SET', SENT, range, 'EX', keep.sent)
if plan.dedupe then redis.call('SET', SEEN, range, 'EX', keep.seen) end
if count > 0 then redis.call('ZADD', SESSIONS, ts, plan.session) end

for i, event in each(plan.events) do
  redis.call('XADD', FEED, 'MAXLEN', '~', keep.feed, '*', 'session', plan.session, 'seq', digits(last + i),
    'type', event[1], 'id', event[2], 'task', event[3], 'ts', ts)
end
for _, change in each(plan.changes) do
  redis.call('XADD', TASKS, 'MAXLEN', '~', keep.feed, '*', 'session', plan.session, 'seq', digits(final),
    'task', change[1], 'from', change[2], 'to', change[3], 'ts', ts)
end
for _, at in each(plan.surfaces) do
  redis.call('XADD', KEYS[at], 'MAXLEN', '~', keep.outbox, '*', 'session', plan.session, 'seq', digits(final))
end
for _, name in each(plan.cancel) do
  redis.call('ZREM', DUE, name)
  redis.call('HDEL', TIMERS, name)
end
for _, timer in each(plan.timers) do
  redis.call('ZADD', DUE, timer[2], timer[1])
  redis.call('HSET', TIMERS, timer[1], timer[3])
end
for _, control in each(plan.controls) do
  redis.call('XADD', KEYS[control[1]], 'MAXLEN', '~', keep.control, '*', 'kind', control[2], 'body', control[3])
  redis.call('EXPIRE', KEYS[control[1]], keep.control_s)
end
for _, fence in each(plan.fences) do redis.call('HSET', FENCE, fence[1], fence[2]) end
for _, release in each(plan.releases) do redis.call('SREM', KEYS[release[1]], release[2]) end
for _, claim in each(plan.claims) do redis.call('SADD', KEYS[claim[1]], claim[2]) end
return {'done', digits(first), ts}
