// What compiling better-sqlite3 needs, if no prebuilt binary can be fetched.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** The folder above `include/node` that belongs to this Node. Undefined if Node came without its headers. */
export function headersBeside(program = process.execPath) {
  const folder = path.join(path.dirname(realpathSync(program)), '..');
  return existsSync(path.join(folder, 'include', 'node', 'node.h')) ? path.resolve(folder) : undefined;
}

/** The environment in which npm compiles with these headers instead of fetching others. The person's own settings stay. */
export function compileEnvironment(env = process.env, program = process.execPath) {
  const headers = headersBeside(program);
  const isSet = Object.keys(env).some((name) => /^npm_config_nodedir$/i.test(name) && env[name]);
  return headers === undefined || isSet ? env : { ...env, npm_config_nodedir: headers };
}

const tools = [
  { names: ['python3', 'python'], debian: 'python3' },
  { names: ['make', 'gmake'], debian: 'make' },
  { names: ['c++', 'g++', 'clang++'], debian: 'g++' },
];

const isThere = (name, env) => spawnSync(name, ['--version'], { stdio: 'ignore', env }).error === undefined;

/** One sentence that names what to install. Empty if nothing seems to be missing. */
export function missingForCompile(env = process.env, program = process.execPath) {
  const missing = tools.filter(({ names }) => !names.some((name) => isThere(name, env)));
  const needs = missing.map(({ debian }) => debian);
  if (headersBeside(program) === undefined)
    needs.push('the headers of Node (libnode-dev, or a Node from https://nodejs.org, which has them)');
  return needs.length === 0
    ? ''
    : `better-sqlite3 has no prebuilt binary for this machine, or it could not be fetched. To compile it, install: ${needs.join(', ')}.`;
}
