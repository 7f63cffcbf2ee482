export * from './cards.js';
export * from './money.js';
export * from './odds-notation.js';
export * from './rule-document.js';
export * from './rules.js';
export * from './due.js';
export * from './bets.js';
export * from './burn.js';
