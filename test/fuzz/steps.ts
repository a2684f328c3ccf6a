// Every step that reads foreign text, by name. Each takes the whole text, or as much of it as ever reaches the step.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Marked } from 'marked';
import { agents } from '../../src/agents/index.ts';
import { readBatches } from '../../src/capture/reader.ts';
import { redact, redactJson, redactValue } from '../../src/capture/redaction/redact.ts';
import { parseSetting, settingNamed } from '../../src/config/config.ts';
import { parsePage } from '../../src/distill/memory/blocks.ts';
import { matchBlocks } from '../../src/distill/memory/match.ts';
import { keyOf, nameSlug, plain, titleSlug } from '../../src/distill/memory/names.ts';
import type { TargetBlock } from '../../src/distill/memory/page.ts';
import { outcomeOf, parseCommand, reasonIn } from '../../src/distill/offline/commands.ts';
import { commitMessage } from '../../src/distill/offline/commit-message.ts';
import { extractConversation } from '../../src/distill/offline/extract.ts';
import { observeTurn } from '../../src/distill/offline/observe.ts';
import { inPieces, readRequest } from '../../src/distill/offline/request.ts';
import { summarizeSession } from '../../src/distill/offline/summarize.ts';
import { unifiedDiff } from '../../src/install/difference.ts';
import { readSettings } from '../../src/install/settings-text.ts';
import { cut, gist, inOneLine, sentencesOf, toolGist } from '../../src/language/gist.ts';
import { errorLine } from '../../src/language/open-ends.ts';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import { readQuestion } from '../../src/recall/question/question.ts';
import { longestQuery } from '../../src/recall/question/words.ts';
import { snippet } from '../../src/recall/shown/snippet.ts';
import { ExportedLine } from '../../src/schema/exported.ts';
import { isTooDear } from '../../src/schema/markdown-cost.ts';
import { indexText } from '../../src/store/search/index-text.ts';
import { segment } from '../../src/store/search/segment.ts';
import { clean, oneLine } from '../../src/surfaces/cli/style.ts';
import { wordDifference } from '../../src/surfaces/viewer/word-difference.ts';
import { run, say, session, turn } from '../turns.ts';

/** The store gives a distiller no longer texts than this. */
const distilled = 20_000;
const marked = new Marked({ gfm: true, breaks: false });

const backwards = (text: string): string =>
  text
    .split(/(?<=\n| )/)
    .reverse()
    .join('');

export const steps: Readonly<Record<string, (text: string) => unknown>> = {
  segment: (text) => [segment(text), indexText(text)],
  query: (text) => [
    parseKeywords(text),
    readQuestion(text.slice(0, longestQuery), { now: 0, config: undefined }).catch(() => {}),
  ],
  snippet: (text) => [
    snippet(text, parseKeywords('a key 中 数据库')),
    snippet(text, parseKeywords(text.slice(0, 200))),
  ],
  redact: (text) => [redact(text), redactJson(text), redactValue({ a: text, [text.slice(0, 1000)]: [text] })],
  lines: (text) =>
    agents.flatMap((agent) => linesWith(text).map((line) => agent.read(line, { key: 'p/s.jsonl', state: {} }))),
  reading: (text) => readWhole(text),
  gist: (text) => [sentencesOf(text), gist(text, 200), cut(text, 200), inOneLine(text), errorLine(text)],
  'tool gist': (text) => toolGist({ tool: 'Bash', input: text.slice(0, 2000), files: [] }, 100),
  request: (text) => [inPieces(text), readRequest(text.slice(0, distilled))],
  command: (text) => [parseCommand(text), commitMessage(text), outcomeOf('test', undefined, text), reasonIn(text)],
  distilling: (text) => distil(text.slice(0, distilled)),
  markdown: (text) => {
    const shown = text.slice(0, 199_000);
    try {
      if (!isTooDear(shown)) marked.parse(shown, { async: false });
    } catch {
      // Nested too deeply: the page then shows plain text.
    }
  },
  'word difference': (text) => wordDifference(text.slice(0, 50_000), backwards(text.slice(0, 50_000))),
  'settings difference': (text) => unifiedDiff(text, backwards(text), 'settings.json'),
  pages: (text) => {
    const [old, now] = [parsePage(text), parsePage(backwards(text))];
    return matchBlocks(old as unknown as TargetBlock[], now);
  },
  names: (text) => [nameSlug(text), titleSlug(text), keyOf(text), plain(text)],
  terminal: (text) => [clean(text), oneLine(text, 100)],
  'import lines': (text) => [
    ExportedLine.safeParse({
      is: 'message',
      group: text,
      text,
      from: text,
      arrivedAt: 0,
      state: 'waiting',
      attempts: 0,
    }),
    ExportedLine.safeParse(quietly(() => JSON.parse(text))),
  ],
  config: (text) => [
    quietly(() => readSettings(text, 'settings.json')),
    ...['timeZone', 'ignore', 'readSeconds', 'distill.url'].map((key) =>
      quietly(() => parseSetting(settingNamed(key), text, 'the test')),
    ),
  ],
};

/** A refusal is an answer. */
function quietly(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Lines of several agents that hold the text in each place. */
const linesWith = (text: string): unknown[] => [
  { type: 'user', uuid: 'a', sessionId: 's', cwd: text, timestamp: text, message: { role: 'user', content: text } },
  {
    type: 'assistant',
    uuid: 'b',
    parentUuid: 'a',
    message: {
      role: 'assistant',
      content: [
        { type: 'text', text },
        { type: 'tool_use', id: 't', name: text, input: { command: text, file_path: text } },
      ],
    },
  },
  {
    type: 'user',
    uuid: 'c',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text }] }] },
  },
  { type: 'summary', summary: text, leafUuid: 'a' },
  { type: 'ai-title', aiTitle: text },
  { type: 'queue-operation', operation: 'enqueue', content: text },
  {
    type: 'message',
    id: 'd',
    parentId: null,
    timestamp: '2026-01-01T00:00:00Z',
    message: { role: 'user', content: [{ type: 'text', text }] },
  },
  { type: text },
  text,
];

/** A transcript that holds the text, read as an import reads it. */
function readWhole(text: string): number {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-fuzz-'));
  try {
    let batches = 0;
    for (const agent of agents) {
      const file = path.join(folder, `${agent.name}.jsonl`);
      fs.writeFileSync(
        file,
        `${linesWith(text)
          .map((line) => JSON.stringify(line))
          .join('\n')}\n${text}\n`,
      );
      const source = { agent, path: file, root: folder, key: 'p/s.jsonl', size: fs.statSync(file).size };
      for (const batch of readBatches({ sources: [source], states: new Map(), reimport: false, home: '/nowhere' }))
        batches += batch.length;
    }
    return batches;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function distil(text: string): unknown[] {
  const turns = [
    turn(text, [say(text), run(text.slice(0, 1500), text.slice(0, 1000), true), say('Done.')]),
    turn('ok', [say(text)], { prompt: 2 }),
  ];
  const material = session(turns, text.slice(0, 1000));
  return [...turns.map(observeTurn), summarizeSession(material), extractConversation({ ...material, id: 1 })];
}
