// Loads the tables for the reference pages: from dist/ for `npm run docs`, from src/ for the test.
import { cliPage, httpPage, settingsPage } from './reference.mjs';

/** `load` imports a module by its path below src/, without its extension. Resolves with the text of each page, by its path. */
export async function referencePages(load) {
  const { operations } = await load('operations/index');
  const { fieldsOf } = await load('surfaces/cli/fields');
  const { topicOf, topics } = await load('surfaces/cli/topics');
  const { Settings, settingList } = await load('schema/settings');
  const { agents } = await load('agents/index');

  const defaults = Settings.parse({ agents: {} });
  const defaultOf = (key) =>
    key === 'timeZone' ? "the system's" : key.split('.').reduce((value, step) => value?.[step], defaults);
  const placeOf = (key) => {
    const name = /^agents\.(.+)\.watchPath$/.exec(key)?.[1];
    return agents.find((agent) => agent.name === name)?.root({ HOLDFAST_HOME: '~/.holdfast' }, '~');
  };

  return {
    'docs/cli.md': cliPage(operations, { fieldsOf, topicOf, topics: Object.keys(topics) }),
    'docs/settings.md': settingsPage(settingList, { defaultOf, placeOf }),
    'docs/http.md': httpPage(await openApiDocument(load)),
  };
}

/** The routes describe themselves. None of them runs, so none needs its dependencies. */
async function openApiDocument(load) {
  const { openApi } = await load('surfaces/http/openapi');
  const { ownRoutes } = await load('surfaces/http/own-routes');
  const { captureRoutes } = await load('surfaces/http/capture-routes');
  const { groupStreams } = await load('surfaces/http/group-events');
  const { operationRoutes } = await load('surfaces/http/operation-routes');
  const idle = { config: { watchPath: () => '' }, store: {} };
  const routes = [...ownRoutes(idle), ...captureRoutes(idle), groupStreams(idle).route, ...operationRoutes(idle)];
  return openApi(
    routes.filter(({ speak, type }) => speak === undefined && type !== 'page'),
    '',
  );
}
