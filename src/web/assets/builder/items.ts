import Sortable from 'sortablejs'
import { pageText } from '../page-text.ts'
import { announce } from './announce.ts'
import { clearPicture } from './pictures.ts'

/**
 * Fills in the stable numbers (`uid`) of new choices in the open form. The server assigned the numbers, and its reply
 * contains a form with them.
 * @param rows the rows of the form at the time when it was saved
 */
export function setUids(rows: readonly Element[], stored: HTMLFormElement): void {
  const storedRows = [...stored.querySelectorAll('.items li')]
  if (storedRows.length !== rows.length) return
  for (const [index, row] of rows.entries()) {
    const [own, saved] = [uidOf(row), uidOf(storedRows[index]!)]
    if (own && saved && own.value === '') own.value = saved.value
  }
}

const uidOf = (row: Element): HTMLInputElement | null => row.querySelector('input[type=hidden]')
const labelOf = (row: Element): HTMLInputElement => row.querySelector('input.box')!

/** Whether a field still has the label that the server gave to a new choice. */
const isUntouched = (input: HTMLInputElement): boolean =>
  input.dataset.new !== undefined && input.value === input.defaultValue

/**
 * Lets authors add a choice with Enter, remove an empty choice with Backspace, and move and paste choices. None of
 * these actions needs a request.
 */
export function enhanceItems(form: HTMLFormElement): void {
  for (const fieldset of form.querySelectorAll<HTMLFieldSetElement>('fieldset.items')) enhanceList(form, fieldset)
}

function enhanceList(form: HTMLFormElement, fieldset: HTMLFieldSetElement): void {
  const list = fieldset.querySelector('ol')!
  const name = fieldset.dataset.list!
  const noun = fieldset.dataset.noun!
  const template = list.firstElementChild?.cloneNode(true) as HTMLElement | undefined
  if (!template) return
  const area = fieldset.querySelector<HTMLTextAreaElement>('textarea')!
  area.closest('.field')!.remove()

  const changed = () => {
    renumber(list, name, noun)
    form.dispatchEvent(new Event('input'))
  }
  const insertAfter = (row: Element | null, text = ''): HTMLElement => {
    const added = template.cloneNode(true) as HTMLElement
    for (const input of added.querySelectorAll('input')) {
      if (input.type === 'checkbox') input.checked = false
      else input.value = ''
      input.removeAttribute('checked')
    }
    const picture = added.querySelector('[data-picture]')
    if (picture) clearPicture(picture)
    else added.querySelector('details')?.removeAttribute('open')
    delete labelOf(added).dataset.new
    labelOf(added).value = text
    if (row) row.after(added)
    else list.append(added)
    return added
  }
  const remove = (row: Element) => {
    if (list.children.length === 1) return
    const next = row.previousElementSibling ?? row.nextElementSibling
    row.remove()
    changed()
    if (next) labelOf(next).focus()
    announce(pageText('{item} removed.', { item: noun }))
  }
  const move = (row: Element, by: -1 | 1, button: HTMLElement) => {
    const other = by === -1 ? row.previousElementSibling : row.nextElementSibling
    if (!other) return
    if (by === -1) other.before(row)
    else other.after(row)
    changed()
    button.focus()
    announce(
      pageText('{item} moved to position {at} of {count}.', {
        item: labelOf(row).value,
        at: [...list.children].indexOf(row) + 1,
        count: list.children.length,
      }),
    )
  }

  const more = document.createElement('button')
  more.type = 'button'
  more.className = 'quiet small'
  more.textContent = fieldset.dataset.add!
  more.addEventListener('click', () => {
    labelOf(insertAfter(null)).focus()
    changed()
  })
  list.after(more)

  list.addEventListener('keydown', (event) => {
    const input = event.target as HTMLInputElement
    const row = input.closest('li')
    if (!row || input !== labelOf(row)) return
    if (event.key === 'Enter') {
      event.preventDefault()
      labelOf(insertAfter(row)).focus()
      changed()
    } else if (event.key === 'Backspace' && input.value === '' && list.children.length > 1) {
      event.preventDefault()
      remove(row)
    } else if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      move(row, event.key === 'ArrowUp' ? -1 : 1, input)
    }
  })
  list.addEventListener('paste', (event) => {
    const input = event.target as HTMLInputElement
    const lines = (event.clipboardData?.getData('text/plain') ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')
    const row = input.closest('li')
    if (lines.length < 2 || !row || input !== labelOf(row)) return
    event.preventDefault()
    let last: Element = row
    if (input.value === '' || isUntouched(input)) input.value = lines.shift()!.trim()
    for (const line of lines) {
      const next = last.nextElementSibling
      if (next && isUntouched(labelOf(next))) labelOf(next).value = line.trim()
      last = next && labelOf(next).value === line.trim() ? next : insertAfter(last, line.trim())
    }
    labelOf(last).focus()
    changed()
  })
  list.addEventListener('click', (event) => {
    // What is typed replaces “Choice 1”, as it does after Tab.
    if (event.target instanceof HTMLInputElement && isUntouched(event.target)) event.target.select()
    const button = (event.target as Element).closest<HTMLButtonElement>('button[name=do]')
    const row = button?.closest('li')
    if (!button || !row || button.closest('[data-picture]')) return
    event.preventDefault()
    const [action] = button.value.split('.')
    if (action === 'remove') remove(row)
    else move(row, action === 'up' ? -1 : 1, button)
  })
  Sortable.create(list, { animation: 120, handle: '.drag', onEnd: changed })
  for (const row of list.children) row.prepend(handle())
  template.prepend(handle())
}

/**
 * Creates the handle with which authors drag a choice. Authors who use the keyboard move a choice with its buttons, or
 * with Alt and an arrow key.
 */
function handle(): HTMLElement {
  const grip = document.createElement('span')
  grip.className = 'drag'
  grip.setAttribute('aria-hidden', 'true')
  grip.textContent = '⠿'
  return grip
}

/** Renumbers the form fields of the rows in their present order, because the server reads the rows by number. */
function renumber(list: Element, name: string, noun: string): void {
  const { length } = list.children
  for (const [index, row] of [...list.children].entries()) {
    for (const field of row.querySelectorAll<HTMLInputElement>('input'))
      field.name = field.name.replace(/^\w+\.\d+/, `${name}.${index}`)
    labelOf(row).id = `${name}.${index}`
    const label = row.querySelector('label')!
    label.htmlFor = `${name}.${index}`
    label.textContent = `${noun[0]!.toUpperCase()}${noun.slice(1)} ${index + 1}`
    for (const button of row.querySelectorAll<HTMLButtonElement>('button[name=do]')) {
      const [action] = button.value.split('.')
      button.value = `${action}.${name}.${index}`
      button.disabled = (action === 'up' && index === 0) || (action === 'down' && index === length - 1)
      const hidden = button.querySelector('.hidden')
      if (hidden) hidden.textContent = ` ${noun} ${index + 1}`
    }
  }
}
