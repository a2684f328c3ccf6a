// OpenAI, OpenRouter, Ollama, LM Studio, Gemini: one protocol, but not all of them support a schema for the answer.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ModelError, type OpenModel } from './model.ts';
import { generate, type Telling } from './service.ts';

/** The ways to ask for JSON, beginning with the one that demands most of the service. */
const ways: readonly { readonly structured: boolean; readonly telling: Telling; readonly object: boolean }[] = [
  { structured: true, telling: 'schema', object: true },
  { structured: false, telling: 'words', object: true },
  { structured: false, telling: 'words', object: false },
];

export const openOpenAiCompatible: OpenModel = async ({ settings: { distill }, modelKey }) => {
  const { modelName: id, url = 'https://api.openai.com/v1' } = distill;
  if (id === undefined)
    throw new ModelError('setup', 'No model is named', {
      hint: 'Name one: holdfast config set distill.modelName <name>',
    });
  const baseURL = url.replace(/\/+$/, '');
  const models = ways.map(({ structured, object }) =>
    createOpenAICompatible({
      name: 'service',
      baseURL,
      ...(modelKey === undefined ? {} : { apiKey: modelKey }),
      supportsStructuredOutputs: structured,
      ...(object && !structured
        ? { transformRequestBody: (body) => ({ ...body, response_format: { type: 'json_object' } }) }
        : {}),
    })(id),
  );
  const timeoutMs = distill.timeoutSeconds * 1000;
  /** The index of the first way that this service has not rejected. */
  let way = 0;
  return {
    name: `${new URL(baseURL).hostname}/${id}`,
    parallel: 3,
    async ask(question, signal) {
      for (;;) {
        const tried = way;
        const model = models[tried];
        const { telling } = ways[tried] ?? { telling: 'words' };
        if (model === undefined) throw new ModelError('invalid', 'the service accepts no form of the question');
        try {
          return await generate(model, question, { telling, timeoutMs }, signal);
        } catch (error) {
          if (!isMisunderstood(error) || tried + 1 >= models.length) throw error;
          way = Math.max(way, tried + 1);
        }
      }
    },
  };
};

/** True if the service rejects the form of the question, not its content. */
function isMisunderstood(error: unknown): boolean {
  if (!(error instanceof ModelError) || error.kind !== 'invalid') return false;
  const { responseBody = '', message = '' } = (error.cause ?? {}) as { responseBody?: string; message?: string };
  return /response_format|json_schema|json_object|schema|structured|format|grammar|not support|unsupported/i.test(
    `${responseBody} ${message}`,
  );
}
