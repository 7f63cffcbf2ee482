import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import {
  type MouseEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from '../controls/button.js';
import { notify } from '../controls/notices.js';
import { KeysDialog } from '../keys/keys-dialog.js';
import { useKeys } from '../keys/keys.js';
import { joinStream, leaveStream, type Liveness, useLiveness } from '../live/live.js';
import { loadPreferences, usePreferences } from '../settings/preferences.js';
import { MustDo } from '../sign-in/must-do.js';
import { SessionEnding } from '../sign-in/session-ending.js';
import { SignInSheet } from '../sign-in/sign-in-sheet.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { ScreenFailed, sentenceOf } from './failures.js';
import { type Me, MeProvider, meQuery, useMay, useMe } from './session/me.js';
import { PLACES } from './screens.js';
import { sessionHasEnded, signOut, useSessionState } from './session/session.js';
import './shell.css';

/** What every screen stands in: who is signed in, the navigation, and whether changes arrive. */
export function Shell(): ReactNode {
  const words = useWords();
  const session = useSessionState();
  const { data: me, error, refetch } = useQuery({ ...meQuery, enabled: session === 'open' });
  if (me)
    return (
      <MeProvider value={me}>
        <MustDo>
          <Frame />
        </MustDo>
        {session === 'ended' && <SignInSheet />}
      </MeProvider>
    );
  if (session === 'ended') return <SignInSheet />;
  if (error) return <ScreenFailed error={error} reset={() => void refetch()} />;
  return <p role="status">{words('shell.loading')}</p>;
}

function Frame(): ReactNode {
  const words = useWords();
  const isReading = useIsReading();
  useStream();
  usePreferencesOfAccount();
  return (
    <>
      <a className="skip" href="#content" onClick={skip}>
        {words('shell.skip')}
      </a>
      <header className="bar no-print">
        <Navigation />
        <LiveSign />
        <AccountMenu />
      </header>
      <Strips />
      <main id="content" tabIndex={-1} data-reading={isReading || undefined}>
        <Outlet />
      </main>
      <KeysDialog />
    </>
  );
}

/** Moves the focus. To the browser the address is one of the start, because of `<base>`. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** Returns whether the screen waits for something that it has never had. */
const useIsReading = (): boolean =>
  useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0;

function useStream(): void {
  const { id } = useMe();
  const may = useMay('follow-stream');
  const session = useSessionState();
  useEffect(() => {
    if (!may || session !== 'open') return undefined;
    joinStream(id, sessionHasEnded);
    return leaveStream;
  }, [id, may, session]);
}

function usePreferencesOfAccount(): void {
  const { id } = useMe();
  const words = useWords();
  const failed = useEffectEvent((error: unknown) => notify({ text: sentenceOf(error, words) }));
  useEffect(() => {
    loadPreferences().catch((error: unknown) => failed(error));
  }, [id]);
}

function Navigation(): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const { permissions } = useMe();
  const places = PLACES.filter(({ needs }) => needs.some((each) => permissions.includes(each)));
  useKeys(
    Object.fromEntries(
      places.map(({ to, name, key }) => [
        `g ${key}`,
        { means: name, run: () => void navigate({ to }) },
      ]),
    ),
  );
  return (
    <nav aria-label={words('shell.main')}>
      <span className="brand">Shoeprint</span>
      {places.map(({ to, name }) => (
        <Link key={to} to={to} className="place">
          {words(name)}
        </Link>
      ))}
    </nav>
  );
}

function LiveSign(): ReactNode {
  const words = useWords();
  const { is } = useLiveness();
  const { paused } = usePreferences();
  const formats = useFormats();
  const now = useMinute();
  return (
    <span className="live-sign">
      {is === 'live' && <span className="live-dot">● {words('shell.live')}</span>}
      {is !== 'off' && paused && <span>❚❚ {words('shell.paused')}</span>}
      <span className="muted">
        {formats.time(now).replace(/:\d\d(?=\D*$)/, '')} {formats.zone}
      </span>
    </span>
  );
}

const MINUTE_MS = 60_000;

/** Returns the present time, to the minute. */
function useMinute(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), MINUTE_MS - (Date.now() % MINUTE_MS));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}

function AccountMenu(): ReactNode {
  const words = useWords();
  const me = useMe();
  const name = nameOf(me);
  return (
    <MenuTrigger>
      <Button aria-label={words('shell.menu', { name })}>{name} ▾</Button>
      <Popover className="popover">
        <Menu>
          <MenuItem href="settings">{words('shell.settings')}</MenuItem>
          <MenuItem
            onAction={() =>
              void signOut().catch((error: unknown) => notify({ text: sentenceOf(error, words) }))
            }
          >
            {words('shell.signOut')}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** Returns the name of the account or key. */
const nameOf = ({ id }: Me): string => id.replace(/^[^/]*\//, '');

/** What everybody must know about this page now: not live, not protected, or outdated. */
function Strips(): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { is, since } = useLiveness();
  useLiveAgain(is);
  const { build } = useMe();
  const [first] = useState(build);
  return (
    <div role="status" className="no-print">
      {is === 'lost' && (
        <p className="strip" data-grave>
          {words('shell.notLive', { time: formats.time(since) })}
        </p>
      )}
      <SessionEnding />
      {!isSecureContext && <p className="strip">{words('shell.plainHttp')}</p>}
      {build !== first && (
        <p className="strip">
          {words('shell.newBuild')}{' '}
          <Button onPress={() => location.reload()}>{words('shell.reload')}</Button>
        </p>
      )}
    </div>
  );
}

/**
 * Says when changes arrive again after they did not. Then the server may be of another build, which
 * is read with the account.
 */
function useLiveAgain(is: Liveness['is']): void {
  const words = useWords();
  const client = useQueryClient();
  const before = useRef(is);
  useEffect(() => {
    if (before.current === 'lost' && is === 'live') {
      notify({ text: words('shell.liveAgain') });
      void client.invalidateQueries({ queryKey: meQuery.queryKey, exact: true });
    }
    before.current = is;
  }, [is, words, client]);
}
