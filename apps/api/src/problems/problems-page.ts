import { PROBLEMS, type ProblemName, problemType } from './problems.js';

/** Returns a page of HTML with every problem type, made from `PROBLEMS`. */
export function problemsPage(): string {
  const entries = (Object.keys(PROBLEMS) as ProblemName[]).map((name) => {
    const { status, title, meaning } = PROBLEMS[name];
    return `<section id="${name}"><h2>${status} <code>${name}</code></h2><p><strong>${escaped(title)}.</strong> ${escaped(meaning)}</p><p><code>${problemType(name)}</code></p></section>`;
  });
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shoeprint: problems</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}h2{font-size:1.1rem;margin-top:2rem}code{background:#8882;padding:0 .3em}</style></head><body><h1>Problems</h1><p>Every refusal is a document of the type <code>application/problem+json</code> (RFC 9457). Its <code>type</code> is one of these and keeps its meaning.</p>${entries.join('')}</body></html>`;
}

const escaped = (text: string): string =>
  text
    .replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/`([^`]*)`/g, '<code>$1</code>');
