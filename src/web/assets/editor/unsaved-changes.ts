import { StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { pageText } from '../page-text.ts'

/** The text is stored in the browser this many milliseconds after the last key press. */
const SAVE_DELAY_MS = 300

/**
 * Submits the text of the editor with the form, asks for confirmation before the author leaves the page with unsaved
 * changes, and offers to restore an unsaved text.
 * @param changed whether the text differs from the stored text
 * @returns the notice with the offer, to be shown above the editor; undefined if there is no unsaved text
 */
export function protectChanges(form: HTMLFormElement, view: EditorView, changed: boolean): HTMLElement | undefined {
  const text = () => view.state.doc.toString()
  const revision = form.querySelector<HTMLInputElement>('input[name=revision]')?.value ?? ''
  const drafts = draftStorage(location.pathname, revision)
  let unsaved = changed
  let leaving = false
  let timer: ReturnType<typeof setTimeout> | undefined
  form.addEventListener('formdata', ({ formData }) => formData.set('structure', text()))
  form.addEventListener('submit', ({ submitter }) => {
    leaving = !submitter?.hasAttribute('formaction')
    clearTimeout(timer)
    if (leaving) drafts.markSubmitted(text())
  })
  addEventListener('pageshow', () => {
    leaving = false
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved && !leaving) event.preventDefault()
  })
  const draft = changed ? undefined : drafts.unsaved(text())
  if (draft === undefined && !changed) drafts.delete()
  view.dispatch({
    effects: StateEffect.appendConfig.of(
      EditorView.updateListener.of(({ docChanged }) => {
        if (!docChanged) return
        unsaved = true
        clearTimeout(timer)
        timer = setTimeout(() => drafts.save(text()), SAVE_DELAY_MS)
      }),
    ),
  })
  if (draft === undefined) return undefined
  return restoreOffer(
    () => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: draft } })
      view.focus()
    },
    () => {
      drafts.delete()
      view.focus()
    },
  )
}

/** Creates the notice that offers to restore an unsaved text. */
function restoreOffer(restore: () => void, discard: () => void): HTMLElement {
  const box = document.createElement('div')
  box.className = 'notice draft-offer'
  box.setAttribute('role', 'status')
  const text = document.createElement('p')
  text.textContent = pageText('You have unsaved changes from your last visit.')
  box.append(text)
  for (const [label, act] of [
    [pageText('Restore'), restore],
    [pageText('Discard'), discard],
  ] as const) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'small'
    button.textContent = label
    button.addEventListener('click', () => {
      box.remove()
      act()
    })
    box.append(button)
  }
  return box
}

/** An unsaved text in the session storage of the tab. */
interface Draft {
  /** Identifies the stored structure on which the text is based. */
  revision: string
  text: string
  /** Whether the text was submitted. If the next page has another revision, the text was saved. */
  submitted: boolean
}

interface DraftStorage {
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
function draftStorage(path: string, revision: string): DraftStorage {
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
