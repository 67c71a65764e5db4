import { pageText } from '../page-text.ts'
import { announce } from './announce.ts'
import { setUids } from './items.ts'
import { fieldsOf, here, type Reply, reasonOf, renewToken, request } from './server.ts'
import { announceMessage, showDraftBar } from './update.ts'

/** The form is saved this many milliseconds after the last key press. */
const SAVE_DELAY_MS = 700
/** If a save gets no reply, it is repeated after this many milliseconds. */
const RETRY_DELAY_MS = 5_000

class Rejection extends Error {
  readonly reply: Reply
  constructor(reply: Reply) {
    super('rejected')
    this.reply = reply
  }
}

/**
 * Saves a form automatically, a short time after the last change. If the server cannot be reached, the form keeps the
 * entered text, and the save is repeated until it succeeds. If another author has saved the same card in the meantime,
 * the form shows this conflict and is not saved.
 * @returns a function that saves unsaved changes immediately, and returns whether everything is saved. If `replace` is
 *   true, the form also replaces a version that another author has saved in the meantime.
 */
export function autosave(root: HTMLElement, form: HTMLFormElement): (replace?: boolean) => Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let unsaved = false
  let disconnected = false
  const state = document.createElement('p')
  state.className = 'soft save-state'
  form.querySelector('.actions')?.append(state)

  const send = async (): Promise<void> => {
    if (disconnected) renewToken(await request(here({ part: 'draft' })))
    const fields = fieldsOf(form)
    fields.set('do', 'autosave')
    const rows = [...form.querySelectorAll('.items li')]
    const reply = await request(form.action, fields)
    const stored = reply.page.querySelector<HTMLFormElement>('#question-form')
    if (!reply.ok || !stored) throw new Rejection(reply)
    seenIn(form).value = seenIn(stored).value
    setUids(rows, stored)
  }

  const save = async (): Promise<boolean> => {
    clearTimeout(timer)
    if (!unsaved) return true
    if (form.querySelector('.conflict')) return false
    unsaved = false
    if (!disconnected) state.textContent = pageText('Saving…')
    try {
      await send()
      showErrors(form)
      if (!unsaved) state.textContent = pageText('Saved to the draft')
      if (disconnected) announce(pageText('The connection is back. Your changes are saved.'))
      disconnected = false
      showDraftBar(root, await request(here({ part: 'draft' })))
      return !unsaved || save()
    } catch (error) {
      unsaved = true
      if (error instanceof Rejection) {
        state.textContent = pageText('Not saved')
        showErrors(form, error.reply.page)
      } else {
        state.textContent = pageText('Not saved. {reason} Your text stays here and is saved as soon as possible.', {
          reason: reasonOf(error),
        })
        if (!disconnected) announce(state.textContent)
        disconnected = true
        timer = setTimeout(retry, RETRY_DELAY_MS)
      }
      return false
    }
  }
  const retry = () => {
    if (form.isConnected) void save()
  }
  form.addEventListener('input', () => {
    unsaved = true
    if (disconnected) return
    state.textContent = ''
    clearTimeout(timer)
    timer = setTimeout(save, SAVE_DELAY_MS)
  })
  form.addEventListener('builder:unsaved', () => {
    unsaved = true
  })
  addEventListener('online', retry)
  addEventListener('beforeunload', (event) => {
    if (unsaved && form.isConnected) event.preventDefault()
  })
  return (replace = false) => {
    if (replace) form.querySelector('.conflict')?.remove()
    return save()
  }
}

const seenIn = (form: HTMLFormElement): HTMLInputElement => form.querySelector<HTMLInputElement>('[name=seen]')!

/**
 * Copies an error from the page that the server returned for a rejected form to the form that the author sees. The
 * error is inserted before its field. If it concerns a list, it is inserted below the heading of the list.
 */
function showError(form: HTMLFormElement, error: Element): void {
  const field = error.parentElement!.querySelector('[aria-invalid]')
  const own = form.querySelector(
    field ? `[name="${field.getAttribute('name')}"]` : `#${error.closest('fieldset')?.id || 'none'} > ol`,
  )
  own?.before(error.cloneNode(true))
  if (!field || !own) return
  own.setAttribute('aria-invalid', 'true')
  const description = field.getAttribute('aria-describedby')
  if (description) own.setAttribute('aria-describedby', description)
}

/**
 * Shows the errors of a rejected form at its fields. If `page` is absent, removes all errors. If another author has
 * saved in the meantime, marks the form as based on that author's version, so that the next save replaces that version.
 */
function showErrors(form: HTMLFormElement, page?: Document): void {
  for (const error of form.querySelectorAll('.alert, .error:not(.picture-status)')) error.remove()
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
  if (!page) return
  const rejected = page.querySelector<HTMLFormElement>('#question-form')
  const alert = rejected?.querySelector('.alert') ?? page.querySelector('main .alert, main h1')
  if (alert) form.prepend(alert.cloneNode(true))
  form.querySelector('.conflict')?.scrollIntoView({ block: 'nearest' })
  for (const error of rejected?.querySelectorAll('.error:not(.picture-status)') ?? []) showError(form, error)
  if (rejected) seenIn(form).value = seenIn(rejected).value
  announceMessage(page)
}
