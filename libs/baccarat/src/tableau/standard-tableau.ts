import type { TableauText } from '../rules/rule-document.js';
import { diffTableau, tableauOf, type OpenTableau } from './tableau-words.js';

/**
 * The drawing rules of nearly every house, as its rule book prints them. Source: 58 Pa. Code §
 * 631a.11 (Pennsylvania Code, title 58, chapter 631a).
 */
export const STANDARD_TABLEAU: TableauText = {
  //       01234567  the player hand's total
  player: 'DDDDDDSS',
  banker: [
    // 0123456789  stood: the value of the player's third card
    'DDDDDDDDDD D', // banker has 0
    'DDDDDDDDDD D', // banker has 1
    'DDDDDDDDDD D', // banker has 2
    'DDDDDDDDSD D', // banker has 3
    'SSDDDDDDSS D', // banker has 4
    'SSSSDDDDSS D', // banker has 5
    'SSSSSSDDSS S', // banker has 6
    'SSSSSSSSSS S', // banker has 7
  ],
};

const STANDARD = tableauOf(STANDARD_TABLEAU);

/**
 * Returns the differences of a drawing table from the standard one, cell by cell, the standard
 * first: `player on 5: draw → optional`. Empty for the standard table. Undecided cells are not
 * differences.
 */
export const departures = (tableau: OpenTableau): string[] => diffTableau(STANDARD, tableau);
