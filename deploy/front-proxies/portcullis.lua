-- Asks Portcullis about every request, before HAProxy passes it on. Only the fields below go along, so nothing that a client
-- sends can say which request it is about. What is not allowed in so many words is refused.

local endpoint = "http://127.0.0.1:9465/forward-auth"
local timeout = 5000 -- ms

-- What the decision is made of, beside the request line and the address.
local passed = { "authorization", "client-request-id", "traceparent", "sec-fetch-dest", "service-worker", "user-agent" }
-- Who calls, for the service: by assertion, or by fields where the upstream says identity: headers.
local identity = {
  "authorization", "request-id", "x-portcullis-application", "x-portcullis-tenant", "x-portcullis-user",
  "x-portcullis-permissions", "x-portcullis-assertion",
}
-- What the client hears of a refusal.
local told = { "content-type", "www-authenticate", "retry-after", "ratelimit", "ratelimit-policy", "allow", "request-id" }

-- All values of a header field, in HAProxy's tables from 0 on.
local function values(headers, name)
  local list = {}
  local found = headers[name]
  if found ~= nil then
    for i = 0, #found do list[#list + 1] = found[i] end
  end
  return list
end

local function refuse(txn, answer)
  local status = answer.status
  local known = status ~= nil and status >= 400 and status <= 599
  local reply = txn:reply({ status = known and status or 503, body = known and answer.body or "" })
  for _, name in ipairs(told) do
    for _, value in ipairs(values(answer.headers or {}, name)) do reply:add_header(name, value) end
  end
  reply:add_header("cache-control", "no-store")
  txn:done(reply)
end

-- The identity for the service; never the client's own token.
local function set(txn, answer, name)
  local value = values(answer.headers, name)[1]
  txn.http:req_del_header(name)
  if value ~= nil and value ~= "" then txn.http:req_set_header(name, value) end
end

core.register_action("portcullis", { "http-req" }, function(txn)
  local headers = txn.http:req_get_headers()
  local question = {
    ["host"] = { "portcullis" },
    ["x-forwarded-method"] = { txn.f:method() },
    ["x-forwarded-uri"] = { txn.f:pathq() },
    ["x-forwarded-host"] = values(headers, "host"),
    ["x-forwarded-proto"] = { txn.f:ssl_fc() == 1 and "https" or "http" },
    ["x-forwarded-for"] = { txn.f:src() },
  }
  for _, name in ipairs(passed) do
    local list = values(headers, name)
    if #list > 0 then question[name] = list end
  end
  local answer = core.httpclient():get({ url = endpoint, headers = question, timeout = timeout })
  if answer == nil or answer.status ~= 200 then return refuse(txn, answer or {}) end
  for _, name in ipairs(identity) do set(txn, answer, name) end
end)
