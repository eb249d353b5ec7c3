// A button that asks for the name of a new colour or mark.
import { button, element } from "../dom.js";

/** @param {import("../app.js").App} app @param {string} words the kind of thing to name
 * @param {[string, string][]} kinds the kinds to choose from, with labels; may be empty
 * @param {(name: string, kind: string) => unknown} does called with a nonempty name */
export function namer(app, words, kinds, does) {
  const place = element("span", { class: "namer" });
  const closed = () => place.replaceChildren(button(`+ ${words}`, () => opened(), { class: "brush" }));
  function opened() {
    const name = element("input", { "aria-label": words, maxlength: 20, placeholder: words, autocomplete: "off" });
    const kind = element("select", { "aria-label": app.t("naming_kind"), hidden: !kinds.length }, ...kinds.map(([value, said]) => element("option", { value }, said)));
    const done = () => {
      const own = name.value.trim();
      if (!own) return name.focus();
      closed();
      does(own, kind.value);
    };
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") done();
      else if (event.key === "Escape") closed();
    });
    place.replaceChildren(name, kind, button(app.t("naming_add"), done), button("×", closed, { class: "close", "aria-label": app.t("cancel") }));
    name.focus();
  }
  closed();
  return place;
}
