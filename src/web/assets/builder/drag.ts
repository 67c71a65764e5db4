import Sortable from 'sortablejs'

/**
 * Lets authors drag questions within and between pages. Authors who use the keyboard move a question with the buttons
 * of its card.
 */
export function addDragging(root: HTMLElement, change: (fields: URLSearchParams) => Promise<unknown>): void {
  const lists = new WeakMap<Element, true>()
  const csrf = () => root.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? ''
  const enhance = () => {
    for (const list of root.querySelectorAll<HTMLElement>('.questions')) {
      if (lists.has(list)) continue
      lists.set(list, true)
      Sortable.create(list, {
        group: 'questions',
        handle: '.drag',
        animation: 120,
        onEnd: ({ item, to, newIndex, from, oldIndex }) => {
          if (to === from && newIndex === oldIndex) return
          const question = item.dataset.question ?? ''
          const fields = { _csrf: csrf(), do: 'move', question, to: to.dataset.page ?? '', at: String(newIndex) }
          void change(new URLSearchParams(fields))
        },
      })
    }
  }
  enhance()
  root.addEventListener('builder:updated', enhance)
}
