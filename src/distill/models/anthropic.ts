import { createAnthropic } from '@ai-sdk/anthropic';
import { ModelError, type OpenModel } from './model.ts';
import { generate } from './service.ts';

export const openAnthropic: OpenModel = async ({ settings: { distill }, modelKey }) => {
  if (modelKey === undefined)
    throw new ModelError('setup', 'There is no key for the Anthropic API', {
      hint: 'Set it: holdfast config set distill.key <key>, or ANTHROPIC_API_KEY in the environment.',
    });
  const id = distill.modelName ?? 'claude-haiku-4-5';
  const provider = createAnthropic({
    apiKey: modelKey,
    ...(distill.url === undefined ? {} : { baseURL: distill.url.replace(/\/+$/, '') }),
  });
  const timeoutMs = distill.timeoutSeconds * 1000;
  return {
    name: `anthropic/${id}`,
    parallel: 3,
    ask: (question, signal) => generate(provider(id), question, { timeoutMs }, signal),
  };
};
