// The port of pages, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { pageEdits } from './edits.ts';
import { pageForgetting } from './forgetting.ts';
import type { PagesPort } from './port.ts';
import { pageReading } from './reading.ts';
import { pageWriting } from './writing.ts';

export function pagesPort(connection: Connection): PagesPort {
  const { list, get, contested, noted } = pageReading(connection);
  const { prepare, settle, takeUncommitted, markUncommitted } = pageWriting(connection);
  const { addEdit, mergeTargets, unmergeTargets } = pageEdits(connection);
  const { forgetTarget, forgetUpTo, forgotten, forgottenUpTo, noteForgotten } = pageForgetting(connection);
  return {
    list,
    get,
    contested,
    noted,
    prepare,
    settle,
    takeUncommitted,
    markUncommitted,
    addEdit,
    mergeTargets,
    unmergeTargets,
    forgetTarget,
    forgetUpTo,
    forgotten,
    forgottenUpTo,
    noteForgotten,
  };
}
