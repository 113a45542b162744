//! The conversation with the editor.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{CodeActionRequest, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    InitializeParams, InitializeResult, PublishDiagnosticsParams, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind,
};

use super::answer;
use super::documents::{Documents, path_of, uri_of};
use super::findings::{Finding, findings};
use super::position::{Encoding, Index};

/// The state of the server between two messages.
pub struct Server {
    encoding: Encoding,
    documents: Documents,
    /// Findings in the texts as they were last read.
    findings: Vec<Finding>,
    /// Files that the editor shows diagnostics for.
    marked: BTreeSet<PathBuf>,
    /// Whether texts have changed since.
    stale: bool,
}

impl Server {
    /// From what the editor says of itself; back comes what is said to it.
    pub fn start(given: InitializeParams) -> (Server, serde_json::Value) {
        let general = given.capabilities.general.as_ref();
        let encoding =
            Encoding::among(general.and_then(|general| general.position_encodings.as_deref()));
        #[expect(deprecated, reason = "Neovim 0.7 says its folder so")]
        let root = given.root_uri.as_ref().and_then(path_of);
        let folders = given.workspace_folders.into_iter().flatten();
        let mut folders: Vec<PathBuf> = folders.filter_map(|f| path_of(&f.uri)).collect();
        if folders.is_empty() {
            folders.extend(root);
        }
        let server = Server {
            encoding,
            documents: Documents::new(folders),
            findings: Vec::new(),
            marked: BTreeSet::new(),
            stale: true,
        };
        let actions = CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        };
        let capabilities = ServerCapabilities {
            position_encoding: Some(encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
            code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
            ..ServerCapabilities::default()
        };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let info = ServerInfo { name: "commloom".to_owned(), version };
        let answer = InitializeResult { capabilities, server_info: Some(info) };
        (server, serde_json::to_value(answer).unwrap_or_default())
    }

    /// Answers until the editor says that it ends.
    pub fn run(mut self, connection: &Connection) -> Result<(), ProtocolError> {
        for message in &connection.receiver {
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    let response = self.answer(request);
                    send(connection, Message::Response(response));
                }
                Message::Notification(told) => self.hear(told),
                Message::Response(_) => {}
            }
            // While somebody types, only the last text counts.
            if self.stale && connection.receiver.is_empty() {
                self.look();
                self.show(connection);
            }
        }
        Ok(())
    }

    /// Texts come and go. What cannot be read is left out, as the protocol wants it.
    fn hear(&mut self, told: Notification) {
        let Notification { method, params } = told;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Ok(DidOpenTextDocumentParams { text_document: opened }) =
                    serde_json::from_value(params)
                {
                    self.put(&opened.uri, opened.text);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(DidChangeTextDocumentParams { text_document: changed, content_changes }) =
                    serde_json::from_value(params)
                    && let Some(last) = content_changes.into_iter().next_back()
                {
                    self.put(&changed.uri, last.text);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(DidCloseTextDocumentParams { text_document: closed }) =
                    serde_json::from_value(params)
                    && let Some(path) = path_of(&closed.uri)
                {
                    self.documents.close(&path);
                    self.stale = true;
                }
            }
            DidSaveTextDocument::METHOD => self.stale = true,
            _ => {}
        }
    }

    fn put(&mut self, uri: &lsp_types::Uri, text: String) {
        if let Some(path) = path_of(uri) {
            self.documents.put(path, text);
            self.stale = true;
        }
    }

    fn look(&mut self) {
        self.findings = findings(&self.documents);
        self.stale = false;
    }

    /// Tells the editor what is found in open files, and that nothing is any more where something
    /// was.
    fn show(&mut self, connection: &Connection) {
        let mut now = BTreeSet::new();
        for finding in &self.findings {
            if self.documents.is_open(&finding.path) {
                now.insert(finding.path.clone());
            }
        }
        for path in self.marked.union(&now) {
            let Some(uri) = uri_of(path) else { continue };
            let shown = now.contains(path);
            let here: Vec<&Finding> =
                self.findings.iter().filter(|f| shown && f.path == *path).collect();
            let index = here.first().map(|f| Index::of(&f.text));
            let diagnostics = index.map_or_else(Vec::new, |index| {
                here.iter().map(|f| answer::diagnostic(f, &index, &uri, self.encoding)).collect()
            });
            let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
            let told = Notification::new(PublishDiagnostics::METHOD.to_owned(), params);
            send(connection, Message::Notification(told));
        }
        self.marked = now;
    }

    fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params, .. } = request;
        if method != CodeActionRequest::METHOD {
            let message = format!("{method} is not understood");
            return Response::new_err(id, code(ErrorCode::MethodNotFound), message);
        }
        let wanted: CodeActionParams = match serde_json::from_value(params) {
            Ok(wanted) => wanted,
            Err(error) => {
                return Response::new_err(id, code(ErrorCode::InvalidParams), error.to_string());
            }
        };
        if self.stale {
            self.look();
        }
        let uri = wanted.text_document.uri;
        let path = path_of(&uri);
        let here: Vec<&Finding> =
            self.findings.iter().filter(|f| Some(&f.path) == path.as_ref()).collect();
        let index = here.first().map(|f| Index::of(&f.text));
        let actions: Vec<_> = index.map_or_else(Vec::new, |index| {
            let action =
                |f: &&Finding| answer::action(f, &index, &uri, &wanted.range, self.encoding);
            here.iter().filter_map(action).collect()
        });
        Response::new_ok(id, actions)
    }
}

/// If the editor is gone, the end of its messages tells.
fn send(connection: &Connection, message: Message) {
    let _ = connection.sender.send(message);
}

fn code(code: ErrorCode) -> i32 {
    code as i32
}
