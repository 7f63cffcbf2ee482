import { describe, expect, it } from '@jest/globals';
import { isDatabaseAway } from '#read-model';

describe('an error of the database', () => {
  const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

  it.each([
    ['a broken pipe', coded('EPIPE')],
    ['a stream that is destroyed', coded('ERR_STREAM_DESTROYED')],
    ['a server that shuts down', coded('57P01')],
    ['a session that was idle too long', coded('57P05')],
    ['a connection exception of PostgreSQL', coded('08P01')],
    ['a closed connection', new Error('Connection terminated unexpectedly')],
    [
      'a broken client',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['a connection that ends without a code', new Error('Query read timeout')],
    ['a closed client', new Error('Client was closed and is not queryable')],
    ['a released runner', new Error('Query runner already released. Cannot run queries anymore.')],
    ['several addresses that refuse', new AggregateError([coded('ECONNREFUSED')])],
    ['a cause', new Error('find failed', { cause: coded('ECONNRESET') })],
    ['an error of another realm', { code: 'ECONNRESET', message: 'read ECONNRESET' }],
  ])('is out of reach: %s', (_name, error) => {
    expect(isDatabaseAway(error)).toBe(true);
  });

  it.each([
    ['a wrong query', coded('42601', 'syntax error')],
    ['a constraint', coded('23505')],
    ['a canceled statement', coded('57014')],
    ['a fault of ours', new TypeError('x is undefined')],
    ['no error', undefined],
  ])('is a fault of the query or of ours: %s', (_name, error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });
});
