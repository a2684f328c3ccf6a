// What the extension sees of VS Code, without VS Code: the module `vscode`, and a person who uses it for a moment.
import { setTimeout as sleep } from 'node:timers/promises';

const folder = { uri: uri('file', process.env.WORKSPACE) };
const registered = { commands: new Map(), participants: new Map(), save: [], editor: [] };
const disposable = { dispose() {} };
const on = (list) => (listener) => {
  list.push(listener);
  return disposable;
};

function uri(scheme, path) {
  return { scheme, fsPath: path, path, toString: () => `${scheme}:${path}` };
}

export const Uri = { from: ({ scheme, path }) => uri(scheme, path) };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export class ChatRequestTurn {}
export class ChatResponseMarkdownPart {}
export const LanguageModelChatMessage = {
  User: (text) => ({ role: 'user', text }),
  Assistant: (text) => ({ role: 'assistant', text }),
};

export const window = {
  activeTextEditor: undefined,
  createStatusBarItem: () => ({ show() {}, ...disposable }),
  onDidChangeActiveTextEditor: on(registered.editor),
  showInformationMessage: async () => undefined,
  showInputBox: async () => 'rounding of the coupon',
  showTextDocument: async () => undefined,
};
export const workspace = {
  workspaceFolders: [folder],
  getConfiguration: () => ({ get: (_, fallback) => fallback }),
  getWorkspaceFolder: ({ fsPath }) => (fsPath.startsWith(`${folder.uri.fsPath}/`) ? folder : undefined),
  onDidChangeWorkspaceFolders: on([]),
  onDidSaveTextDocument: on(registered.save),
  openTextDocument: async () => ({}),
  registerTextDocumentContentProvider: () => disposable,
};
export const commands = {
  registerCommand: (name, run) => {
    registered.commands.set(name, run);
    return disposable;
  },
};
export const chat = {
  createChatParticipant: (id, answer) => {
    registered.participants.set(id, answer);
    return disposable;
  },
};

const documentAt = (path) => ({ uri: uri('file', path), lineCount: 3, languageId: 'typescript' });

/** A window opens; one question to the participant, one command, one save inside the folder and one outside; it closes. */
export async function drive({ activate, deactivate }) {
  activate({ subscriptions: [] });
  let streamed = '';
  const model = {
    async sendRequest() {
      return {
        text: (async function* () {
          yield 'It is in ';
          yield 'checkout.ts.';
        })(),
      };
    },
  };
  const stream = {
    markdown(text) {
      streamed += text;
    },
  };
  const token = { isCancellationRequested: false };
  const ask = registered.participants.get('holdfast.memory');
  await ask({ prompt: 'where is the coupon rounded?', model }, { history: [] }, stream, token);
  await registered.commands.get('holdfast.tell')();
  await registered.commands.get('holdfast.showBriefing')();
  for (const told of registered.save) {
    told(documentAt(`${folder.uri.fsPath}/src/checkout.ts`));
    told(documentAt('/elsewhere/notes.ts'));
  }
  for (const told of registered.editor) told({ document: documentAt(`${folder.uri.fsPath}/src/passed-by.ts`) });
  await sleep(50);
  await deactivate();
  const names = { commands: [...registered.commands.keys()], participants: [...registered.participants.keys()] };
  process.stdout.write(JSON.stringify({ ...names, streamed }));
}
