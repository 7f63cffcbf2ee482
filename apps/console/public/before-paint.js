// Runs before the first paint, so that no theme flashes white. It also says what is missing to a
// browser that cannot run the console. It is a classic script of an old syntax for that reason.
(function () {
  var root = document.documentElement;
  var themes = ['light', 'dark', 'surveillance', 'high-contrast'];
  var chosen = null;
  try {
    chosen = localStorage.getItem('shoeprint.theme');
  } catch (_) {
    chosen = null; // storage is blocked: the default theme
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
  var enough =
    'noModule' in HTMLScriptElement.prototype &&
    window.AbortSignal &&
    'timeout' in AbortSignal &&
    window.CSS &&
    CSS.supports('selector(:has(a))');
  if (enough) return;
  root.setAttribute('data-outdated', ''); // main.tsx does not start
  document.addEventListener('DOMContentLoaded', function () {
    document.getElementById('root').textContent =
      'Shoeprint needs a current browser: Chrome, Edge or Firefox from 121 on, or Safari from 16.4 on.';
  });
})();
