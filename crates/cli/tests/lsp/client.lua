-- Neovim as the client of `commloom lsp`: opens FILE, waits for diagnostics, takes the first code action, writes the file, and prints
-- what it saw as lines of "severity code message". Environment: COMMLOOM, FILE.
local file = vim.env.FILE
local id = vim.lsp.start_client({
  name = 'commloom',
  cmd = { vim.env.COMMLOOM, 'lsp' },
  root_dir = vim.fn.fnamemodify(file, ':h'),
})
vim.cmd('edit ' .. vim.fn.fnameescape(file))
vim.lsp.buf_attach_client(0, id)

local function say(text)
  io.stdout:write(text .. '\n')
end

if not vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20) then
  say('no diagnostics')
  vim.cmd('cquit')
end
for _, d in ipairs(vim.diagnostic.get(0)) do
  say(string.format('%d %d %s %s', d.severity, d.lnum + 1, d.user_data.lsp.code, d.message))
end

local client = vim.lsp.get_client_by_id(id)
local params = {
  textDocument = vim.lsp.util.make_text_document_params(0),
  range = { start = { line = 0, character = 0 }, ['end'] = { line = vim.fn.line('$'), character = 0 } },
  context = { diagnostics = {} },
}
local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 20000)
local actions = answers[id].result
for _, action in ipairs(actions) do
  say('action: ' .. action.title)
end
if #actions > 0 then
  vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
  vim.cmd('write')
  local before = #vim.diagnostic.get(0)
  vim.wait(20000, function() return #vim.diagnostic.get(0) < before end, 20)
  say('left: ' .. #vim.diagnostic.get(0))
end
vim.lsp.stop_client(id)
vim.wait(5000, function() return vim.lsp.client_is_stopped(id) end, 20)
vim.cmd('qall!')
