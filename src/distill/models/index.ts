import type { ModelKind } from '../../schema/settings.ts';
import type { OpenModel } from './model.ts';

/** Every kind of model, loaded only if chosen. `none` means the offline distiller, which needs no model. */
export const models: Readonly<Record<Exclude<ModelKind, 'none'>, OpenModel>> = {
  claude: async (config) => (await import('./claude.ts')).openClaude(config),
  anthropic: async (config) => (await import('./anthropic.ts')).openAnthropic(config),
  'openai-compatible': async (config) => (await import('./openai-compatible.ts')).openOpenAiCompatible(config),
};
