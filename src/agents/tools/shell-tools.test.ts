import { describe, expect, it } from 'vitest';
import { looksAround, modifies } from '../../language/files-touched.ts';
import { shell } from './shell-tools.ts';

/** Names that the agents give their tools. */
const commands =
  'Bash bash shell shell_command exec_command exec local_shell run_shell_command Execute run_commands execute_command Shell run_terminal_cmd run_command developer__shell powershell';
const edits =
  'Edit MultiEdit Write apply_patch replace write_file edit write create str_replace_editor ApplyPatch Create StrReplace write_to_file replace_in_file apply_diff developer__text_editor replace_file_content';
const others = 'write_stdin TodoWrite write_todos todowrite Read read_file view view_image wait update_plan web_search';
const searches = 'Grep Glob LS grep_search search_file_content list_directory list_dir rg codebase_search file_search';

describe('the kind of a tool', () => {
  it.each(commands.split(' '))('%s runs a command', (name) => {
    expect([shell.test(name), looksAround.test(name)]).toEqual([true, false]);
  });
  it.each(edits.split(' '))('%s edits', (name) => {
    expect([shell.test(name), modifies.test(name), looksAround.test(name)]).toEqual([false, true, false]);
  });
  it.each(searches.split(' '))('%s looks around', (name) => {
    expect([shell.test(name), modifies.test(name), looksAround.test(name)]).toEqual([false, false, true]);
  });
  it.each(others.split(' '))('%s neither runs a command nor edits', (name) => {
    expect([shell.test(name), modifies.test(name)]).toEqual([false, false]);
  });
});
