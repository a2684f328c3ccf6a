import type { ModelKind } from '../../schema/settings.ts';
import type { OpenModel } from './model.ts';

/** Every model, loaded only when it is chosen. `none` is the offline distiller, which asks nobody. */
export const models: Readonly<Record<Exclude<ModelKind, 'none'>, OpenModel>> = {
  claude: async (config) => (await import('./claude.ts')).openClaude(config),
  anthropic: async (config) => (await import('./anthropic.ts')).openAnthropic(config),
  'openai-compatible': async (config) => (await import('./openai-compatible.ts')).openOpenAiCompatible(config),
};
