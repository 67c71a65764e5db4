/** An unsaved text in the session storage of the tab. */
interface Draft {
  /** Identifies the stored structure that was edited. */
  revision: string
  text: string
  /** Whether the text was submitted. The revision of the next page shows whether it was saved. */
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
 * Stores the text of a page until the author saves it, for example when the session ends. Closing the tab deletes the
 * text.
 * @param path of the page
 * @param revision identifies the stored structure on the page
 */
export function draftStorage(path: string, revision: string): DraftStorage {
  const name = `draft of ${path}`
  const write = (draft: Draft) => {
    try {
      sessionStorage.setItem(name, JSON.stringify(draft))
    } catch {
      // Storage may be full or disabled: drafts are optional.
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
