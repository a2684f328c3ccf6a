import { expect, it } from 'vitest';
import { wasStopped } from './stopped.ts';

it.each([
  "The user doesn't want to proceed with this tool use. The tool use was rejected.",
  '[Request interrupted by user for tool use]\nrunning hooks',
  'Debugger attached.\n\n> tide test\n\n\nCommand aborted',
  'aborted by user after 12.4s',
  '<tool_use_error>Cancelled: parallel tool call Bash(go test ./...) errored</tool_use_error>',
  'please add the harbour map too first',
  'Wait a sec, we need to copy piers/token.svg to the other repo too',
])('a person stopped the tool that returned %j', (output) => {
  expect(wasStopped(output)).toBe(true);
});

it.each([
  '',
  'Exit code 1',
  'Exit code 1\nThe following paths are ignored by one of your .gitignore files:\nhint: Use -f if you really want to add them.',
  'fatal: Not possible to fast-forward, aborting.',
  'Timeout waiting for: harbour',
  'error: your local changes would be overwritten, please commit them',
  'No local changes to save',
  'Please tell me who you are.\n\nRun\n\n  git config --global user.email "you@example.com"',
  '2 tests were cancelled\n1 failed',
])('no person stopped the tool that returned %j', (output) => {
  expect(wasStopped(output)).toBe(false);
});
