// Small comforts; every page also works without them.
"use strict";

// A form with data-auto sends itself when something in it was chosen.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-auto]");
  if (form) form.requestSubmit();
});

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    const from = document.querySelector(copy.dataset.copy);
    const text = "value" in from ? from.value : from.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(from);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return;
    }
    const before = copy.textContent;
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = before; }, 1500);
  }
  const back = event.target.closest("[data-back]");
  if (back && history.length > 1) {
    event.preventDefault();
    history.back();
  }
});

// A slider shows its number: <input type="range" data-shows="#id">.
document.addEventListener("input", (event) => {
  const target = event.target;
  if (target.matches && target.matches("[data-shows]")) {
    const output = document.querySelector(target.dataset.shows);
    const shown = target.dataset.words ? JSON.parse(target.dataset.words)[target.value] : target.value;
    if (output && "value" in output && output.tagName === "INPUT") {
      output.value = shown;
      output.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (output) output.textContent = shown;
  }
});

// A button that started something cannot start it twice.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.hasAttribute("hx-post")) return;
  for (const button of event.target.querySelectorAll("button")) {
    setTimeout(() => { button.disabled = true; }, 0);
  }
});
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button:disabled:not([data-off])")) button.disabled = false;
});
