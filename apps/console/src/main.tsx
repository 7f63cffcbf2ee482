import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { askAhead } from './app/ahead.js';
import { App } from './app/app.js';
import { reloadWhenSetAside } from './app/session/outdated.js';
import './theme/tokens.css';
import './theme/base.css';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');
// `before-paint.js` marks a browser that cannot run the console, and says so in the page.
if (document.documentElement.dataset['outdated'] === undefined) {
  reloadWhenSetAside();
  askAhead();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
