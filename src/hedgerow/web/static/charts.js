// Draws <div data-chart="/some/chart.json">: a Vega-Lite description from this app, as SVG.
// Expressions are interpreted, not compiled: the page's policy allows no eval.
"use strict";

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  const ink = of("--ink"), quiet = of("--quiet"), line = of("--line");
  return {
    background: "transparent",
    font: "system-ui, sans-serif",
    title: { color: ink, subtitleColor: quiet },
    axis: { labelColor: quiet, titleColor: quiet, domainColor: line, tickColor: line, gridColor: line },
    legend: { labelColor: ink, titleColor: quiet },
    header: { labelColor: ink, titleColor: quiet },
    text: { color: ink },
    view: { stroke: "transparent" },
  };
}

async function draw(element) {
  if (element.dataset.drawn === element.dataset.chart) return;
  element.dataset.drawn = element.dataset.chart;
  try {
    const answer = await fetch(element.dataset.chart, { headers: { "HX-Request": "true" } });
    if (!answer.ok) {
      element.innerHTML = await answer.text(); // the app's own sentence, escaped there
      return;
    }
    const spec = await answer.json();
    element.textContent = "";
    const drawn = await vegaEmbed(element, spec, {
      ast: true,
      actions: false,
      renderer: "svg",
      defaultStyle: false,
      tooltip: { disableDefaultStyle: true },
      config: colours(),
    });
    element.chart = drawn.view;
    element.dispatchEvent(new CustomEvent("chart:drawn", { bubbles: true, detail: drawn.view }));
  } catch (error) {
    element.textContent = "The chart cannot be drawn; its numbers are in the table.";
    throw error;
  }
}

function drawAll(root) {
  const found = root.querySelectorAll ? [...root.querySelectorAll("[data-chart]")] : [];
  if (root.matches && root.matches("[data-chart]")) found.push(root);
  found.forEach(draw);
}

document.addEventListener("DOMContentLoaded", () => drawAll(document));
document.addEventListener("htmx:afterSettle", (event) => drawAll(event.target));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const element of document.querySelectorAll("[data-chart]")) {
    delete element.dataset.drawn;
    draw(element);
  }
});
