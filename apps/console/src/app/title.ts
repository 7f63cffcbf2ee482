import { useEffect } from 'react';
import { shown } from '../words/shown.js';

/** Names the page in the browser's tab and for readers of the screen, while a screen is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${shown(title)} · Shoeprint`;
    return () => {
      document.title = 'Shoeprint';
    };
  }, [title]);
}
