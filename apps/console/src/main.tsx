import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { queries } from './api/queries.js';
import { meQuery } from './app/me.js';
import { reloadWhenSetAside } from './app/outdated.js';
import { router } from './app/router.js';
import { sessionState } from './app/session.js';
import './theme/tokens.css';
import './theme/base.css';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');
// `before-paint.js` marks a browser that cannot run the console, and says so in the page.
if (document.documentElement.dataset['outdated'] === undefined) {
  reloadWhenSetAside();
  // What the first screen needs is asked for at once, while its words are on their way.
  // What fails is asked for again, and shown, by what needs it.
  const fails = (): undefined => undefined;
  if (sessionState() !== 'none') void queries.query(meQuery).catch(fails);
  void router.preloadRoute({ to: router.latestLocation.pathname }).catch(fails);
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
