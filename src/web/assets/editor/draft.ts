/** What was written and not saved, as this tab of the browser remembers it. */
interface Draft {
  /** The version that was changed. */
  version: string
  text: string
  /** It was sent to be saved; whether it was, the version of the next page tells. */
  sent: boolean
}

export interface DraftKeeper {
  keep(text: string): void
  /** The text is about to be sent. */
  send(text: string): void
  /** What was written before and is neither stored nor on the page: sent too late, or left behind. */
  left(stored: string): string | undefined
  forget(): void
}

/**
 * Remembers what is written until it is saved: somebody whose session ends in the middle signs in again and finds it.
 * It stays in this tab, and goes with it.
 * @param place whose text it is
 * @param version the version on the page
 */
export function draftKeeper(place: string, version: string): DraftKeeper {
  const name = `draft of ${place}`
  const write = (draft: Draft) => {
    try {
      sessionStorage.setItem(name, JSON.stringify(draft))
    } catch {
      // A browser may have no room for it, or keep nothing for anybody: then it is as without scripts.
    }
  }
  const read = (): Draft | undefined => {
    try {
      return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
    } catch {
      return undefined
    }
  }
  return {
    keep: (text) => write({ version, text, sent: false }),
    send: (text) => write({ version, text, sent: true }),
    left: (stored) => {
      const draft = read()
      const saved = draft?.sent === true && draft.version !== version
      return draft && !saved && draft.text !== stored ? draft.text : undefined
    },
    forget: () => {
      try {
        sessionStorage.removeItem(name)
      } catch {
        // There is none to forget.
      }
    },
  }
}
