// Runs before the first paint, so that no theme flashes white. It also says what is missing to a
// browser that cannot run the console. It is a classic script of an old syntax for that reason.
(function () {
  var root = document.documentElement;
  var themes = ['light', 'dark', 'surveillance', 'high-contrast'];
  var chosen = null;
  var canKeep = true;
  try {
    chosen = localStorage.getItem('shoeprint.theme');
  } catch (_) {
    canKeep = false; // storage is blocked
  }
  function prefers(query) {
    return window.matchMedia && window.matchMedia(query).matches;
  }
  if (themes.indexOf(chosen) < 0)
    chosen = prefers('(prefers-contrast: more)')
      ? 'high-contrast'
      : prefers('(prefers-color-scheme: dark)')
        ? 'dark'
        : 'light';
  root.setAttribute('data-theme', chosen);
  document
    .querySelector('meta[name=color-scheme]')
    .setAttribute('content', chosen === 'light' ? 'light' : 'dark');
  // Chrome 121 and Safari 16.4 were the first with the one, and Firefox 121 with the other: the
  // browsers that vite.config.mjs builds for.
  var enough =
    'fromAsync' in Array && window.CSS && CSS.supports && CSS.supports('selector(:has(a))');
  if (enough && canKeep) return;
  root.setAttribute('data-outdated', ''); // main.tsx does not start
  document.addEventListener('DOMContentLoaded', function () {
    document.getElementById('root').textContent = enough
      ? 'Shoeprint needs to keep data in this browser. Allow site data for this address and reload.'
      : 'Shoeprint needs a current browser: Chrome, Edge or Firefox from 121 on, or Safari from 16.4 on.';
  });
})();
