import { DefaultNamingStrategy } from 'typeorm';

/** Names each column by the snake_case of its field. */
export class SnakeCase extends DefaultNamingStrategy {
  override columnName(property: string, given: string, prefixes: string[]): string {
    return [...prefixes, given || property]
      .join('_')
      .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
