// VS Code's events → the life of a session. lifecycle.ts makes all decisions; this file only translates.
import * as vscode from 'vscode';
import { type Lifecycle, openLifecycle } from './lifecycle.ts';
import { openWorker, type Worker } from './worker.ts';

const scheme = 'holdfast-briefing';
/** One for each folder of the window, because each belongs to a separate project. */
const lifecycles = new Map<string, Lifecycle>();

export function activate(context: vscode.ExtensionContext): void {
  const worker = openWorker(process.env);
  const at = (uri?: vscode.Uri) => lifecycleAt(worker, uri);
  const status = vscode.window.createStatusBarItem('holdfast.briefing', vscode.StatusBarAlignment.Right);
  status.name = 'Holdfast';
  status.text = '$(history) Holdfast';
  status.tooltip = 'What earlier sessions of this project left behind';
  status.command = 'holdfast.showBriefing';

  const pages = new Map<string, string>();
  context.subscriptions.push(
    status,
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: (uri) => pages.get(uri.toString()) ?? '',
    }),

    vscode.commands.registerCommand('holdfast.showBriefing', async () => {
      const briefing = await at()?.briefing();
      if (!briefing) {
        void vscode.window.showInformationMessage(
          'There is no briefing: the worker does not run, or it knows nothing of this project yet.',
        );
        return;
      }
      // A new address each time: VS Code caches what it has shown.
      const uri = vscode.Uri.from({ scheme, path: '/Briefing.md', query: String(Date.now()) });
      pages.clear();
      pages.set(uri.toString(), briefing);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
    }),

    vscode.commands.registerCommand('holdfast.tell', async (given?: unknown) => {
      const title = 'What are you working on?';
      const text = typeof given === 'string' ? given : await vscode.window.showInputBox({ title });
      if (text !== undefined) at()?.prompt(text);
    }),

    vscode.chat.createChatParticipant('holdfast.memory', async (request, past, stream, token) => {
      const lifecycle = at();
      lifecycle?.prompt(request.prompt);
      const briefing = (await lifecycle?.briefing()) ?? '';
      lifecycle?.answer(await reply(request, past, briefing, stream, token));
    }),

    vscode.workspace.onDidSaveTextDocument((document) => {
      if (document.uri.scheme !== 'file') return;
      at(document.uri)?.saved(document.uri.fsPath, `saved: ${document.lineCount} lines of ${document.languageId}`);
    }),

    vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (editor?.document.uri.scheme === 'file') at(editor.document.uri)?.opened(editor.document.uri.fsPath);
    }),

    vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
      for (const { uri } of removed) {
        void lifecycles.get(uri.fsPath)?.end('folder closed');
        lifecycles.delete(uri.fsPath);
      }
    }),
  );

  // Activation itself does not wait: the slowest extension decides how fast an editor opens.
  void at()
    ?.briefing()
    .then((briefing) => {
      if (briefing) status.show();
    });
}

/** VS Code waits a few seconds for this, then ends the process. The lifecycle waits less. */
export async function deactivate(): Promise<void> {
  await Promise.all([...lifecycles.values()].map((lifecycle) => lifecycle.end('editor closed')));
  lifecycles.clear();
}

/** The lifecycle of the folder that contains a file; without a file, of the active editor. */
function lifecycleAt(worker: Worker, file?: vscode.Uri): Lifecycle | undefined {
  const { workspace, window } = vscode;
  const looked = file ?? window.activeTextEditor?.document.uri;
  const folder =
    (looked && workspace.getWorkspaceFolder(looked)) ?? (file ? undefined : workspace.workspaceFolders?.[0]);
  // A file outside all folders, or not on disk, belongs to no project.
  if (folder?.uri.scheme !== 'file') return undefined;
  const { fsPath } = folder.uri;
  let lifecycle = lifecycles.get(fsPath);
  if (lifecycle === undefined) {
    const minutes = vscode.workspace.getConfiguration('holdfast').get<number>('idleMinutes', 10);
    lifecycle = openLifecycle({ worker, folder: fsPath, idleMs: minutes * 60_000 });
    lifecycles.set(fsPath, lifecycle);
  }
  return lifecycle;
}

/** Asks the model that the person has chosen, with the briefing before the question. Resolves with the answer. */
async function reply(
  { model, prompt }: vscode.ChatRequest,
  { history }: vscode.ChatContext,
  briefing: string,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<string> {
  const Message = vscode.LanguageModelChatMessage;
  const earlier = history.map((turn) =>
    turn instanceof vscode.ChatRequestTurn ? Message.User(turn.prompt) : Message.Assistant(textOf(turn)),
  );
  const known = briefing ? [Message.User(`From earlier sessions of this project:\n\n${briefing}`)] : [];
  let answer = '';
  try {
    const response = await model.sendRequest([...known, ...earlier, Message.User(prompt)], {}, token);
    for await (const part of response.text) {
      answer += part;
      stream.markdown(part);
    }
  } catch (error) {
    if (token.isCancellationRequested) return answer;
    const reason = error instanceof Error ? error.message : String(error);
    stream.markdown(`No model answered (${reason}).\n\n${briefing || 'Nothing is known of this project yet.'}`);
  }
  return answer;
}

const textOf = ({ response }: vscode.ChatResponseTurn): string =>
  response.map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : '')).join('') || '…';
