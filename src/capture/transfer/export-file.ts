// The file of an export: checked as a whole before anything is imported, then read line by line.
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { ExportedLine, ExportHeader, exportFormat, exportVersion } from '../../schema/exported.ts';
import { explain, HoldfastError } from '../../system/errors.ts';

async function* linesOf(file: string): AsyncGenerator<[number, string]> {
  const stream = fs.createReadStream(file);
  let number = 0;
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
      yield [++number, line];
  } catch (error) {
    throw explain(error, file);
  } finally {
    stream.destroy();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // The caller names the line.
  }
}

const mostNamed = 5;

/** Refuses a file with invalid lines and names the first of them. Returns the number of lines. */
export async function checkExport(file: string, signal?: AbortSignal): Promise<{ lines: number }> {
  const bad: string[] = [];
  const counts: Record<string, number> = {};
  let header: ExportHeader | undefined;
  let count = 0;
  let inFile = false;
  for await (const [number, line] of linesOf(file)) {
    signal?.throwIfAborted();
    if (number === 1) {
      header = headerOf(file, line);
      continue;
    }
    count++;
    const { data, error } = ExportedLine.safeParse(parsed(line));
    if (data === undefined) bad.push(`line ${number}: ${whatIsWrong(line, error?.issues[0])}`);
    else if (data.is === 'entry' && !inFile) bad.push(`line ${number}: an entry that follows no file`);
    else {
      inFile = data.is === 'file' || data.is === 'entry';
      counts[data.is] = (counts[data.is] ?? 0) + 1;
    }
    if (bad.length === mostNamed) break;
  }
  if (header === undefined) throw notOne(file);
  if (bad.length > 0)
    throw new HoldfastError('UNREADABLE', `${file} cannot be imported\n  ${bad.join('\n  ')}`, {
      hint: 'Nothing was changed. Export again, or take these lines out and correct the counts in the first.',
    });
  for (const [is, promised] of Object.entries(header.counts))
    if ((counts[is] ?? 0) !== promised)
      throw new HoldfastError(
        'UNREADABLE',
        `${file} is incomplete: it holds ${counts[is] ?? 0} of ${promised} lines of the kind ${is}`,
        {
          hint: 'Nothing was changed. Copy it again, or export again.',
        },
      );
  return { lines: count };
}

/** Contract: `checkExport` has accepted the file. */
export async function* readExport(file: string): AsyncGenerator<ExportedLine> {
  for await (const [number, line] of linesOf(file)) if (number > 1) yield ExportedLine.parse(parsed(line));
}

function headerOf(file: string, line: string): ExportHeader {
  const value = parsed(line) as { format?: unknown; version?: unknown } | undefined;
  if (value?.format !== exportFormat) throw notOne(file);
  if (typeof value.version === 'number' && value.version > exportVersion)
    throw new HoldfastError(
      'UNREADABLE',
      `${file} was exported by a newer version of Holdfast (format ${value.version})`,
      {
        hint: 'Update Holdfast. Nothing was changed.',
      },
    );
  const { data } = ExportHeader.safeParse(value);
  if (data === undefined) throw notOne(file);
  return data;
}

const notOne = (file: string): HoldfastError =>
  new HoldfastError('UNREADABLE', `${file} is not an export of Holdfast`, {
    hint: 'To import transcripts: holdfast ingest. To restore a database: holdfast restore.',
  });

function whatIsWrong(line: string, issue: { path: PropertyKey[]; message: string } | undefined): string {
  if (parsed(line) === undefined) return 'not JSON';
  const where = issue?.path.map(String).join('.') ?? '';
  return where === '' ? (issue?.message ?? 'not a line of an export') : `${where}: ${issue?.message}`;
}
