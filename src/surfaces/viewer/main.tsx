// The viewer: calls the worker's operations and shows their answers. It stores no data of its own.
import { render } from 'preact';
import { App } from './app.tsx';
import { listen } from './live.ts';
import { followLinks } from './router.ts';
import { applyTheme } from './theme.ts';

applyTheme();
followLinks();
listen();
const place = document.getElementById('app');
if (place) render(<App />, place);
