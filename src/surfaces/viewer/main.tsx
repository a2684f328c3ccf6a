// The viewer: asks the worker's own operations and shows what they answer. It holds nothing itself.
import { render } from 'preact';
import './take-code.ts';
import { App } from './app.tsx';
import { listen } from './live.ts';
import { followLinks } from './router.ts';
import { applyTheme } from './theme.ts';

applyTheme();
followLinks();
listen();
const place = document.getElementById('app');
if (place) render(<App />, place);
