/** An unsaved text in the session storage of the tab. */
interface Draft {
  /** Identifies the stored structure on which the text is based. */
  revision: string
  text: string
  /** Whether the text was submitted. If the next page has another revision, the text was saved. */
  submitted: boolean
}

export interface DraftStorage {
  save(text: string): void
  /** Marks the text as submitted. */
  markSubmitted(text: string): void
  /** Returns the text that was never saved, if it differs from the stored structure. */
  unsaved(stored: string): string | undefined
  delete(): void
}

/**
 * Stores the edited text of a page until the author saves it, so that the text is not lost if, for example, the session
 * ends. Closing the tab deletes the stored text.
 * @param path the path of the page
 * @param revision identifies the stored structure on the page
 */
export function draftStorage(path: string, revision: string): DraftStorage {
  const name = `draft of ${path}`
  const write = (draft: Draft) => {
    try {
      sessionStorage.setItem(name, JSON.stringify(draft))
    } catch {
      // The storage may be full or disabled. The editor also works without a stored text.
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
    save: (text) => write({ revision, text, submitted: false }),
    markSubmitted: (text) => write({ revision, text, submitted: true }),
    unsaved: (stored) => {
      const draft = read()
      const saved = draft?.submitted === true && draft.revision !== revision
      return draft && !saved && draft.text !== stored ? draft.text : undefined
    },
    delete: () => {
      try {
        sessionStorage.removeItem(name)
      } catch {
        // There is nothing to delete.
      }
    },
  }
}
