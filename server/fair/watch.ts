/** Calls `check` at this interval until it returns false. No timer runs in between. */
export function createWatch(milliseconds: number, check: () => boolean): () => void {
  let isOn = false
  return function watch() {
    if (isOn) return
    isOn = true
    setTimeout(() => {
      isOn = false
      if (check()) watch()
    }, milliseconds)
  }
}
