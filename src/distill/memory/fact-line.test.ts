import { describe, expect, it } from 'vitest';
import type { SaidBy } from '../../schema/memory.ts';
import { factIn, factLine } from './fact-line.ts';
import { stripped } from './memories-on.ts';
import { keyedTarget } from './place.ts';

const indexed = (key: string, text: string, saidBy: SaidBy, tags: string[] = []) => ({
  ...{ text: stripped(factLine({ key, text, saidBy, tags })), target: keyedTarget(key), saidBy },
});

describe('the line of a fact', () => {
  it.each<[string, string, SaidBy]>([
    ['test command', 'Tests are run with `mise run test`.', 'runs'],
    ['package manager', 'The package manager is pnpm: npm fails here.', 'agent'],
    ['node.js: version', 'It needs Node 20.', 'agent'],
    ['state file', 'It is quoted (an agent’s words) in the docs.', 'agent'],
    ['editor', 'I use vim (seen in commands), always.', 'person'],
  ])('gives back its key “%s” and its words', (key, text, saidBy) => {
    expect(factIn(indexed(key, text, saidBy))).toEqual({ key, text });
  });

  it('keeps its tags, which follow the mark of its source', () => {
    const memory = indexed('test command', 'Tests are run with `make`.', 'runs', ['ci']);
    expect(memory.text).toBe('test command: Tests are run with `make`. (seen in commands) #ci');
    expect(factIn(memory).text).toBe('Tests are run with `make`. #ci');
  });

  it('has the key before its first colon if a merge gave it the target of another key', () => {
    const memory = { ...indexed('tests', 'Tests are run with `make`.', 'runs'), target: keyedTarget('check command') };
    expect(factIn(memory)).toEqual({ key: 'tests', text: 'Tests are run with `make`.' });
  });

  it('may have no key', () => {
    const bare = { text: 'Use `a: b` here.', target: 't:0123456789ab', saidBy: 'agent' } as const;
    expect(factIn(bare)).toEqual({ key: '', text: 'Use `a: b` here.' });
  });
});
