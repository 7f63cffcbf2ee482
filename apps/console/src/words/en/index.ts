import codes from './codes.json';
import evidence from './evidence.json';
import finding from './finding.json';
import game from './game.json';
import people from './people.json';
import queue from './queue.json';
import reports from './reports.json';
import review from './review.json';
import rules from './rules.json';
import settings from './settings.json';
import shell from './shell.json';
import tables from './tables.json';

/** The words of this language, by key. */
export default {
  ...codes,
  ...evidence,
  ...finding,
  ...game,
  ...people,
  ...queue,
  ...reports,
  ...review,
  ...rules,
  ...settings,
  ...shell,
  ...tables,
};
