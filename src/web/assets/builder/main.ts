// Enhances the builder: forms are sent without loading the page, cards are edited in place, dragged and searched. The page
// works without this script.
import { startBuilder } from './builder.ts'

const root = document.querySelector<HTMLElement>('#builder')
if (root?.querySelector('form')) startBuilder(root)
